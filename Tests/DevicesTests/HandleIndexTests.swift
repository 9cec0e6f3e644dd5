import Testing

@testable import Devices

@Suite struct HandleIndexTests {
    @Test func `Each handle has its place, and absent ones have none`() {
        let index = HandleIndex([nil, 9, 3, nil, 0xFFFF, 3, 1])
        #expect([1, 3, 9, 0xFFFF].map { index[$0] } == [6, 2, 1, 4])
        #expect([0, 2, 4, 8, 10, 0xFFFE].allSatisfy { index[$0] == nil })
        #expect(HandleIndex([])[1] == nil)
    }

    @Test func `Of 65,535 handles, each is found in 16 steps`() {
        let index = HandleIndex((1...0xFFFF).map { UInt16($0) })
        for handle in stride(from: 1, through: 0xFFFF, by: 251) {
            let (place, steps) = index.search(UInt16(handle))
            #expect(place == handle - 1 && steps <= 16)
        }
    }
}
