// On Linux, `URLRequest` and related types are in a separate module, FoundationNetworking. It is
// re-exported here, so that a file that imports only this module can use them, as on Apple
// platforms.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
