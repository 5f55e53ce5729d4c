// A file that imports only this module can use the types of Foundation, as one that imports only
// XCTest can. On Linux, `URLRequest` and related types are in a separate module, FoundationNetworking.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
