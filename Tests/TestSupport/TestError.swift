package struct TestError: Error, Equatable {
    package var number: Int

    package init(number: Int = 0) { self.number = number }
}
