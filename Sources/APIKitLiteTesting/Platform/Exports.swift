// Lets files that import only this module use Foundation's types, as XCTest does. On Linux,
// `URLRequest` and related types are in a separate module, FoundationNetworking.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
