package dev.meshguard.mesh.allocator;

import static dev.meshguard.mesh.allocator.AllocationDirection.TOP_DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import org.junit.jupiter.api.Test;

/**
 * The one figure of the runtime's own {@code tests/tt_metal/tt_metal/api/allocator/test_l1_banking_allocator.cpp} that holds for
 * an L1 buffer of any device.
 */
class BankManagerFiguresTests {

    @Test
    void fillsACoreFromItsTop() {
        var config = new AllocatorConfig(
                new AllocatorConfig.Dram(0, 0, 0, 32, 0), new AllocatorConfig.L1(64, 1_499_136, 103_776, 16, 0), true);
        var banks = new BankManager(BufferType.L1, 64, config.l1Region(), 103_776, config);
        long[] kibibytes = {32, 64, 128};
        long taken = 0;

        for (int i = 0; taken + kibibytes[i % 3] * 1_024 < 1_395_360; i++) {
            long size = kibibytes[i % 3] * 1_024;
            taken += size;
            assertThat(banks.allocate(BankRequest.interleaved(size, size, TOP_DOWN)))
                    .isEqualTo(1_499_136 - taken);
        }

        assertThat(banks.statistics().totalFree()).isEqualTo(1_395_360 - 1_376_256);
    }
}
