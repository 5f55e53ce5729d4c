import Foundation

extension LoadFlow {
    /// Makes the request for an input, and downloads its file.
    nonisolated(nonsending) func download(
        _ requestData: T.RequestDataType, to file: URL, options: Download.Options
    ) async throws(APIRequestError) -> HTTPURLResponse {
        let request = try makeRequest(from: requestData)
        let download = Download(session: session, request: request, file: file, options: options)
        do {
            return try await download.response(validate: apiRequest.validateResponse)
        } catch let refusal as Download.Refusal {
            throw rejection(
                .validate, request, refusal.response, refusal.data, refusal.underlying)
        } catch {
            throw failure(
                .transport, request, underlying: error,
                isCancellation: Task.isCancelled || options.progress?.isCancelled == true)
        }
    }
}
