package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AllocatorConfigTests {

    private static AllocatorConfig wormhole(long traceRegionSize, long l1SmallSize) {
        return new AllocatorConfig(
                new AllocatorConfig.Dram(12, 1_073_741_824, 2_560_032, 32, traceRegionSize),
                new AllocatorConfig.L1(64, 1_499_136, 101_152, 16, l1SmallSize),
                true);
    }

    @Test
    void roundsTheReservedPartsUpToTheDramAlignment() {
        var config = wormhole(100, 33);

        assertThat(config.l1().smallSize()).isEqualTo(64);
        assertThat(config.dram().traceRegionSize()).isEqualTo(128);
    }

    @Test
    void rejectsReservedPartsThatLeaveNothingOrCannotBeRounded() {
        assertRuntimeError(() -> wormhole(0, 1_499_136 - 101_152), "Reserved size must be less than bank size");
        assertIllegalArgument(
                () -> wormhole(1_073_741_824, 0),
                "Cannot keep 1073741824 B of every DRAM bank for traces: only 1071181792 B of its 1073741824 B"
                        + " lie above the unreserved base 2560032. Ask for a smaller trace region.");
        assertRuntimeError(() -> wormhole(0, Long.MAX_VALUE), "Reserved size must be less than bank size");
        assertIllegalArgument(
                () -> wormhole(Long.MAX_VALUE, 0),
                "Cannot keep 9223372036854775807 B of every DRAM bank for traces: only 1071181792 B of its"
                        + " 1073741824 B lie above the unreserved base 2560032. Ask for a smaller trace region.");
    }

    @Test
    void rejectsANegativeNumberAndAnAlignmentOfZero() {
        assertIllegalArgument(
                () -> new AllocatorConfig.L1(64, 1_499_136, 101_152, 0, 0),
                "Cannot use 0 as the L1 alignment: it must be at least 1." + " Set it to a number from 1 upwards.");
        assertIllegalArgument(
                () -> new AllocatorConfig.Dram(12, -1, 0, 32, 0),
                "Cannot use -1 as the DRAM bank size: it must be at least 0." + " Set it to a number from 0 upwards.");
    }
}
