package dev.meshguard.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.protocol.DeviceInfo;
import dev.meshguard.server.protocol.MemoryUsage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The display of {@code meshguard top}. */
class UsageScreenTests {

    @Test
    void aBarIsFullAtWhatTheDeviceHasAndShowsTheChange() {
        UsageScreen screen = new UsageScreen(false);
        DeviceInfo info = DeviceInfo.wormhole(0);

        assertThat(screen.bars(new MemoryUsage(0, 3L << 30, 0, 0, 0, 0, 0), info))
                .containsExactly(
                        "device 0  Wormhole_B0",
                        "  DRAM     [######...................]  25%      3 GiB / 12 GiB",
                        "  L1       [.........................]   0%        0 B / 91.5 MiB");
        assertThat(screen.bars(new MemoryUsage(0, 2L << 30, 0, 0, 64, 0, 0), info))
                .containsExactly(
                        "device 0  Wormhole_B0",
                        "  DRAM     [####.....................]  16%      2 GiB / 12 GiB  -1 GiB",
                        "  L1       [.........................]   0%        0 B / 91.5 MiB",
                        "  TRACE    [#########################] 100%       64 B");
    }

    @Test
    void aBarIsRedWhereMemoryIsAlmostFull() {
        List<String> bars =
                new UsageScreen(true).bars(new MemoryUsage(0, 11L << 30, 0, 0, 0, 0, 0), DeviceInfo.wormhole(0));

        assertThat(bars.get(1)).contains("\u001b[31m[######################...]  91%\u001b[0m");
    }

    @Test
    void aLineShowsWhatChanged() {
        UsageScreen screen = new UsageScreen(false);
        screen.line("12:00:00", new MemoryUsage(0, 100, 0, 0, 0, 0, 0));

        assertThat(screen.line("12:00:01", new MemoryUsage(0, 40, 7, 0, 0, 0, 0)))
                .isEqualTo("12:00:01 device 0  DRAM 40 (-60)  L1 7 (+7)");
    }
}
