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
            var load = load(of: request)
            load.response = refusal.response
            throw load.reported(load.failure(.validate, refusal.underlying, refusal.data))
        } catch {
            throw load(of: request).failure(
                .transport, error,
                isCancellation: Task.isCancelled || options.progress?.isCancelled == true)
        }
    }
}
