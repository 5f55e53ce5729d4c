// On Linux `URLRequest` and its kin live in a module of their own. Re-exported, so that a file
// which imports only this module can name them, as on Apple platforms.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
