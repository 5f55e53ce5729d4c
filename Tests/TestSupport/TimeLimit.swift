import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. On a machine with much other work, a good one takes seconds.
    package static var limited: Self { .timeLimit(.minutes(20)) }
}
