package dev.meshguard.server.log;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Creates logs for tests. */
final class Logs {

    static final AllocationLogReader READER = AllocationLogReader.create();

    static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)";
    static final String FREED = "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, FINAL)";

    /** The last line of a server, after which nothing runs. */
    static final String STOPPED = "🛑 Allocation Server stopped";

    private Logs() {}

    /** Reads lines, each with its line break. */
    static ParsedLog of(String... lines) {
        return ofText(String.join("\n", lines) + "\n");
    }

    static ParsedLog ofText(String text) {
        return ofBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    static ParsedLog ofBytes(byte[] bytes) {
        try {
            return READER.read(new ByteArrayInputStream(bytes), "test.log");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static LeakVerdict verdictOn(ParsedLog log) {
        return LeakCheck.create().examine(log.history());
    }

    /** Returns the reports of single buffers as lines. */
    static List<String> reports(ParsedLog log) {
        return log.history().events().stream()
                .filter(event -> event instanceof HistoryEvent.Allocated || event instanceof HistoryEvent.Freed)
                .map(event -> event.toString().replaceFirst("^#\\d+ ", ""))
                .toList();
    }

    /** Returns the reasons why the log is incomplete. */
    static List<String> losses(ParsedLog log) {
        return log.history().lostReports().stream()
                .map(HistoryEvent.ReportsLost::reason)
                .toList();
    }
}
