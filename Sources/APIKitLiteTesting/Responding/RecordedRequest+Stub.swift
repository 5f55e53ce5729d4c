extension RecordedRequest {
    /// The stub that answered, or is going to; nil where none matched.
    public internal(set) var stub: Stub? {
        get { answeringStub as? Stub }
        set { answeringStub = newValue }
    }
}
