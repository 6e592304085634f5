package dev.meshguard.mesh.allocator;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.mesh.allocator.AllocationDirection.BOTTOM_UP;
import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Compares addresses with those that real runs on Wormhole B0 reported in October 2025, from the sizes of their buffers alone.
 */
class WormholeAddressesTests {

    private static final long PAGE = 2_048;

    private final Allocator allocator = wormhole(0);

    private static Allocator wormhole(long traceRegionSize) {
        var config = new AllocatorConfig(
                new AllocatorConfig.Dram(12, 1_073_741_824, 2_560_032, 32, traceRegionSize),
                new AllocatorConfig.L1(64, 1_499_136, 101_152, 16, 0),
                true);
        return Allocator.create(config, UnsafeAllocationWarner.to(text -> {}));
    }

    private long tensor(long size) {
        return allocator.allocate(DRAM, BankRequest.interleaved(size, PAGE, BOTTOM_UP));
    }

    private long kernelBinary(int pages) {
        return allocator.allocate(DRAM, BankRequest.interleaved(pages * PAGE, PAGE, TOP_DOWN));
    }

    @Test
    void comeOutForTheTensorsAndKernelBinariesOfTheMeshAllocationTest() {
        assertThat(tensor(4_194_304)).isEqualTo(2_560_032);
        assertThat(tensor(4_194_304)).isEqualTo(2_910_240);
        assertThat(tensor(4_194_304)).isEqualTo(3_260_448);
        assertThat(kernelBinary(6)).isEqualTo(1_073_739_776).isEqualTo(0x3ffff800L);
        assertThat(tensor(524_288)).isEqualTo(3_610_656);
        assertThat(tensor(524_288)).isEqualTo(3_655_712);
        assertThat(tensor(1_048_576)).isEqualTo(3_700_768);
        assertThat(kernelBinary(12)).isEqualTo(1_073_737_728).isEqualTo(0x3ffff000L);
    }

    @Test
    void reserveWholePagesInEveryBank() {
        tensor(4_194_304);
        tensor(4_194_304);
        tensor(4_194_304);
        tensor(524_288);
        tensor(524_288);
        tensor(1_048_576);
        kernelBinary(6);
        kernelBinary(12);

        assertThat(12 * allocator.statistics(DRAM).totalAllocated()).isEqualTo(14_794_752);
    }

    @Test
    void comeOutForTheTraceOfTheLanguageModelRun() {
        var withTraces = wormhole(30_000_000);

        assertThat(withTraces.allocate(TRACE, BankRequest.interleaved(12_503_040, PAGE, BOTTOM_UP)))
                .isEqualTo(1_043_741_824);
    }
}
