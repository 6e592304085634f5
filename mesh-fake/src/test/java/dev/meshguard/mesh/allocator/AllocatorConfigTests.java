package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AllocatorConfigTests {

    private static AllocatorConfig.Builder wormhole() {
        return AllocatorConfig.builder()
                .dramBankCount(12)
                .dramBankSize(1_073_741_824)
                .dramUnreservedBase(2_560_032)
                .dramAlignment(32)
                .l1BankCount(64)
                .l1Size(1_499_136)
                .l1UnreservedBase(101_152)
                .l1Alignment(16);
    }

    @Test
    void roundsTheReservedPartsUpToTheDramAlignment() {
        var config = wormhole().l1SmallSize(33).traceRegionSize(100).build();

        assertThat(config.l1SmallSize()).isEqualTo(64);
        assertThat(config.traceRegionSize()).isEqualTo(128);
    }

    @Test
    void reservesNothingAndInterleavesUnlessItSaysOtherwise() {
        var config = wormhole().build();

        assertThat(config.l1SmallSize()).isZero();
        assertThat(config.traceRegionSize()).isZero();
        assertThat(config.interleaved()).isTrue();
    }

    @Test
    void rejectsReservedPartsThatLeaveNothingOrCannotBeRounded() {
        assertRuntimeError(
                () -> wormhole().l1SmallSize(1_499_136 - 101_152).build(), "Reserved size must be less than bank size");
        assertIllegalArgument(
                () -> wormhole().traceRegionSize(1_073_741_824).build(),
                "Cannot keep 1073741824 B of every DRAM bank for traces: only 1071181792 B of its 1073741824 B"
                        + " lie above the unreserved base 2560032. Ask for a smaller trace region.");
        assertRuntimeError(
                () -> wormhole().l1SmallSize(Long.MAX_VALUE).build(), "Reserved size must be less than bank size");
        assertIllegalArgument(
                () -> wormhole().traceRegionSize(Long.MAX_VALUE).build(),
                "Cannot keep 9223372036854775807 B of every DRAM bank for traces: only 1071181792 B of its"
                        + " 1073741824 B lie above the unreserved base 2560032. Ask for a smaller trace region.");
    }

    @Test
    void rejectsANegativeNumberAndAnAlignmentOfZero() {
        assertIllegalArgument(
                () -> wormhole().l1Alignment(0).build(),
                "Cannot use 0 as the L1 alignment: it must be at least 1." + " Set it to a number from 1 upwards.");
        assertIllegalArgument(
                () -> wormhole().dramBankSize(-1).build(),
                "Cannot use -1 as the DRAM bank size: it must be at least 0." + " Set it to a number from 0 upwards.");
    }
}
