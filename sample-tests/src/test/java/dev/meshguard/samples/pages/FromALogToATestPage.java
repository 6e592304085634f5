package dev.meshguard.samples.pages;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Reachability;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.reproduce.ReproductionTest;
import dev.meshguard.reproduce.minimize.HistoryMinimizer;
import dev.meshguard.reproduce.minimize.MinimizedHistory;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.tracker.AllocationTracker;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The output that the page on the way from a log to a test shows. */
final class FromALogToATestPage {

    private static final int BUFFERS = 1_000;

    private FromALogToATestPage() {}

    /** Returns the test that is written of a log of a thousand buffers, of which one is freed too often. */
    static String ofALog() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int buffer = 1; buffer <= BUFFERS; buffer++) {
            int id = 4_096 * buffer;
            lines.append("✓ [PID 7] Allocated 2048 bytes of DRAM on device 3 (buffer_id=")
                    .append(id)
                    .append(")\n");
            lines.append("✗ [PID 7] Freed buffer ").append(id).append(" on device 3 (2048 bytes, FINAL)\n");
        }
        lines.append(
                "⚠ [PID 7] Deallocation for unknown buffer 4096 on device 3 (allocated before tracking started)\n");
        AllocationHistory run = AllocationLog.read(
                        new ByteArrayInputStream(lines.toString().getBytes(StandardCharsets.UTF_8)), "server.log")
                .history();
        // region: library
        MinimizedHistory least = HistoryMinimizer.create().minimize(run);
        String source = ReproductionTest.of(least.history()).from("server.log").source();
        // end region
        return source.strip();
    }

    /** Returns the test that is written of a run that keeps a buffer. */
    static String ofARun() {
        AllocationTracker tracker = AllocationTracker.create();
        MemoryRequest request = tracker.request(AllocationDetails.user().labelled("kv-cache"));
        tracker.allocated(request, 0, BufferType.DRAM, 0x2d5c40, 1_024, Ownership.UNKNOWN);
        tracker.traced(request, Reachability.held());
        return ReproductionTest.of(
                        HistoryMinimizer.create().minimize(tracker.history()).history())
                .inPackage("dev.example")
                .from("meshguard-history.jsonl")
                .source()
                .strip();
    }
}
