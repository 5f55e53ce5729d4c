import Foundation

/// The error of a server that ended one connection after another without an event.
public struct NoEventsError: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// The number of connections in a row that had no event.
    public let connectionCount: Int

    /// Creates the error.
    ///
    /// - Parameter connectionCount: The number of connections in a row that had no event.
    public init(connectionCount: Int) {
        self.connectionCount = connectionCount
    }

    /// The text for a developer: `The server ended 3 connections in a row without an event.`
    public var description: String {
        "The server ended \(connectionCount) connections in a row without an event."
    }

    /// The text for a user.
    public var errorDescription: String? { "The server's answer ended too early." }
}
