// On Linux, `URLRequest` and the other types of URL loading are in a separate module. This module
// re-exports it, so that clients need no `#if` to import it.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
