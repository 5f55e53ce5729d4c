extension MockResponse {
    /// Checks that this response can be the sample of `forEachFault` or `checkLoader`.
    ///
    /// - Parameters:
    ///   - function: The name of the function that uses the sample.
    ///   - sourceLocation: The file and the line of the call.
    /// - Throws: ``MockError`` when the response is held, is faulty itself, or has a configuration
    ///   error.
    func checkAsSample(of function: String, at sourceLocation: String) throws {
        let configurationError: String?
        switch behavior {
        case .complete where isHeld || isBodyHeld:
            configurationError = "it is held, and nobody releases it."
        case .complete: configurationError = self.configurationError
        case .never, .failure, .cut, .cutHead, .stream, .passed:
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
