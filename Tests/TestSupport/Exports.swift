// What every test uses.
@_exported import APIKitLite
@_exported import APIKitLiteTesting
@_exported import Foundation
@_exported import Testing
