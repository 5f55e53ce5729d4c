// On Linux, `URLRequest` and the other URL loading types are in a separate module. Re-exporting
// that module saves clients an `#if`.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
