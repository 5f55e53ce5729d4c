// What every test uses.
@_exported import Foundation
@_exported import Testing
