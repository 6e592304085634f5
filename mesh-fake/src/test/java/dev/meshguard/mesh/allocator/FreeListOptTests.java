package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.Rejections.assertOutOfMemory;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the quirks of a free list, and sizes that random programs do not reach.
 *
 * <p>{@link FreeListOptDifferentialTests} compares every answer and every block, and {@link FreeListFiguresTests} has the
 * addresses of the runtime's own tests.
 */
class FreeListOptTests {

    private static final long KIB = 1_024;

    private static InspectedFreeList list(long maxSize) {
        return new InspectedFreeList(maxSize, 1_024, 32, 32);
    }

    @Test
    void findsNothingForASizeThatCannotBeRounded() {
        var list = list(4 * KIB);

        assertThat(list.allocate(Long.MAX_VALUE, true, 0)).isEmpty();
        assertThat(list.allocateAtAddress(1_024, Long.MAX_VALUE)).isEmpty();
    }

    /** The holes have 4096 B at 1024, 1024 B at 9216 and 13312, and 4096 B at 29696. */
    @ParameterizedTest
    @CsvSource({"true, 1024", "false, 32768"})
    void takesTheOutermostFitHoweverLargeItIs(boolean bottomUp, long address) {
        var list = list(32 * KIB);
        list.allocateAtAddress(5_120, 4_096);
        list.allocateAtAddress(10_240, 3_072);
        list.allocateAtAddress(14_336, 15_360);

        assertThat(list.allocate(KIB, bottomUp, 0)).hasValue(address);
    }

    @Test
    void keepsABlockBelowTheLimitThatCannotBeFreedUnlessAnotherWasAllocated() {
        var list = list(4 * KIB);

        assertOutOfMemory(
                () -> list.allocate(KIB, true, 1_056),
                "Out of Memory: Cannot allocate at an address below 1056. Allocation at 1024");
        assertRuntimeError(() -> list.deallocate(1_024), "Lowest occupied address should have a value");

        assertThat(list.allocatedAddresses()).containsExactly(new AddressRange(1_024, 2_048));
    }

    @Test
    void leavesTheLowestOccupiedAddressAsItWasWhenCleared() {
        var list = list(4 * KIB);
        list.allocateAtAddress(2_048, 32);

        list.clear();

        assertThat(list.lowestOccupiedAddress()).hasValue(2_048);
    }
}
