package dev.meshguard.mesh.buffer;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.L1_SMALL;
import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BufferConfigTests {

    private static final CoreRangeSet FOUR_CORES = CoreRangeSet.of(new CoreRange(0, 0, 3, 0));
    private static final BufferConfig FOUR_PAGES = BufferConfig.of(L1, 4_096, 1_024);

    @Test
    void isInterleavedAndTakenFromTheUsualEndUnlessItSaysOtherwise() {
        assertThat(FOUR_PAGES.shards()).isEmpty();
        assertThat(FOUR_PAGES.direction()).isEqualTo(AllocationDirection.TOP_DOWN);
        assertThat(FOUR_PAGES.subDevice()).isEmpty();
        assertThat(FOUR_PAGES.numPages()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"DRAM, 3000, 2048", "L1, 2048, 0"})
    void consistsOfWholePages(BufferType type, long size, long pageSize) {
        assertThatThrownBy(() -> BufferConfig.of(type, size, pageSize))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage(
                        "For valid non-interleaved buffers page size %d must equal buffer size %d."
                                + " For interleaved-buffers, buffer size should be divisible by the page size",
                        pageSize, size);
    }

    @Test
    void hasNoNegativeNumbersButMayBeEmpty() {
        assertThat(BufferConfig.of(DRAM, 0, 0).numPages()).isZero();
        assertThat(BufferConfig.of(DRAM, 0, 2_048).numPages()).isZero();
        assertIllegalArgument(
                () -> BufferConfig.of(DRAM, -1, 1), "Cannot create a buffer of -1 B: a buffer has 0 B or more");
        assertIllegalArgument(
                () -> BufferConfig.of(DRAM, 1, -1), "Cannot create a buffer in pages of -1 B: a page has 0 B or more");
    }

    @Test
    void liesOnASubDeviceOnlyIfItIsShardedInL1() {
        SubDeviceId subDevice = new SubDeviceId(0);
        BufferConfig inDram = BufferConfig.of(DRAM, 4_096, 1_024);

        assertRuntimeError(
                () -> FOUR_PAGES.on(subDevice), "Specifying sub-device for buffer requires buffer to be sharded");
        assertRuntimeError(
                () -> inDram.heightSharded(FOUR_CORES).on(subDevice),
                "Specifying sub-device for buffer requires buffer to be L1");
        assertThat(BufferConfig.of(L1_SMALL, 4_096, 1_024)
                        .heightSharded(FOUR_CORES)
                        .on(subDevice)
                        .subDevice())
                .contains(subDevice);
    }

    @Test
    void liesWithItsShardsOnTheCoresOfItsSubDevice() {
        BufferConfig sharded = FOUR_PAGES.heightSharded(FOUR_CORES).on(new SubDeviceId(0));

        sharded.requireWithin(CoreRangeSet.of(new CoreRange(0, 0, 7, 3)));

        assertRuntimeError(
                () -> sharded.requireWithin(CoreRangeSet.of(new CoreRange(1, 0, 7, 3))),
                "Shard cores specified {[0-0 - 3-0]} do not match sub-device cores {[1-0 - 7-3]}");
    }

    @Test
    void cutsAHeightShardedBufferIntoEqualRunsOfPages() {
        BufferConfig buffer = BufferConfig.of(L1, 10 * 64, 64).heightSharded(FOUR_CORES);

        assertThat(buffer.shards()).contains(new BufferConfig.Shards(FOUR_CORES, 3));
        assertRuntimeError(() -> FOUR_PAGES.requireWithin(FOUR_CORES), "Buffer not sharded");
        assertIllegalArgument(
                () -> FOUR_PAGES.heightSharded(CoreRangeSet.of()),
                "Cannot shard over 0 cores in shards of 4 pages: name at least one core, and 0 pages or more");
    }
}
