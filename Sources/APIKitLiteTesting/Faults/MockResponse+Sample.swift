extension MockResponse {
    /// - Throws: ``MockError`` where no good answer can be made of it.
    func checkAsSample(of function: String, at sourceLocation: String) throws {
        let configurationError: String?
        switch behavior {
        case .complete where isHeld: configurationError = "it is held, and nobody releases it."
        case .complete: configurationError = self.configurationError
        case .never, .failure, .cut, .cutHead, .passed:
            configurationError =
                self.configurationError
                ?? "it is broken itself. Give the answer of a healthy server."
        }
        guard let configurationError else { return }
        throw MockError(
            .brokenStub,
            "\(function) cannot use its sample: \(configurationError) (\(sourceLocation))")
    }
}
