extension RecordedRequest {
    /// The stub that answered the request or is going to; nil if none matched.
    public internal(set) var stub: Stub? {
        get { answeringStub as? Stub }
        set { answeringStub = newValue }
    }
}
