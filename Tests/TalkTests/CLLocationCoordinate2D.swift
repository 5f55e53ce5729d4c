// Stands in for CoreLocation where there is none.
#if !canImport(CoreLocation)
struct CLLocationCoordinate2D {
    var latitude: Double
    var longitude: Double
}

// swift-format-ignore: AlwaysUseLowerCamelCase
func CLLocationCoordinate2DIsValid(_ coordinate: CLLocationCoordinate2D) -> Bool {
    abs(coordinate.latitude) <= 90 && abs(coordinate.longitude) <= 180
}
#endif
