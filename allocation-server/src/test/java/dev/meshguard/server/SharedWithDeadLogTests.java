package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The log describes addresses that a dead process shared as the server handled them. */
class SharedWithDeadLogTests extends WithServer {

    @Test
    void theLogSaysWhoKeepsWhatADeadProcessShared() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(1);
        runs(2);
        allocate(1, 64);
        allocate(2, 64);
        allocate(1, 128);
        processes.remove(1L);
        server.checkProcesses();
        free(2, 64);

        assertThat(lines().subList(3, lines().size())).containsExactly("""

                ⚠️  Detected dead processes, cleaning up orphaned buffers...
                   PID 1 is dead, removing its buffers...
                   Buffer 64 on device 0 keeps ref_count=1 without PID 1, and belongs to PID 2
                   ✓ Removed 1 buffers (6.10352e-05 MB) from PID 1

                ✗ [PID 2] Freed buffer 64 on device 0 (64 bytes, FINAL)""".split("\n", -1));
        assertThat(verdictOnLog().outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdictOnLog().survivors()).extracting(Survivor::cause).containsOnly(Cause.PROCESS_DIED);
        assertThat(verdictOnLog().survivors()).hasSameSizeAs(verdict().survivors());
    }

    @Test
    void theLastOfThoseWhoSharedTakesTheBufferOfAnotherWithIt() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(1);
        runs(2);
        allocate(1, 64);
        allocate(2, 64);
        free(1, 64);
        processes.remove(2L);
        server.checkProcesses();

        assertThat(lines().subList(5, 8))
                .containsExactly(
                        "   PID 2 is dead, removing its buffers...",
                        "   Buffer 64 on device 0 keeps ref_count=0 without PID 2, and belongs to PID 1",
                        "   ✓ Removed 1 buffers (6.10352e-05 MB) from PID 2");
        assertThat(log().history().lostReports()).isEmpty();
        assertThat(verdictOnLog().outcome()).isEqualTo(Outcome.LEAKED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PID 1 is dead, removing its buffers...|\
            line 3 says that others keep 2 references to buffer 0x40 (64) on device 0, and the lines before it make 1
            PID 3 is dead, removing its buffers...|\
            line 3 is about a buffer of the dead process 1, and no line before it says that this process is dead
            """)
    void aLineThatContradictsTheOnesBeforeMakesTheLogInconclusive(String dead, String reason) throws IOException {
        AllocationLog log = read("""
                ✓ [PID 1] Allocated 64 bytes of L1 on device 0 (buffer_id=64)
                   %s
                   Buffer 64 on device 0 keeps ref_count=2 without PID 1, and belongs to PID 2
                """.formatted(dead));

        assertThat(log.history().lostReports())
                .extracting(HistoryEvent.ReportsLost::reason)
                .containsExactly(reason);
    }

    /** The lines about shared buffers may be among those that are missing. */
    @Test
    void aServerThatIsStartedAgainDuringACleanupMakesTheLogInconclusive() throws IOException {
        AllocationLog log = read("""
                🚀 Allocation Server started
                ✓ [PID 1] Allocated 64 bytes of L1 on device 0 (buffer_id=64)
                ✓ [PID 2] Allocated 64 bytes of L1 on device 0 (buffer_id=64, ref_count=2)
                   PID 1 is dead, removing its buffers...
                🚀 Allocation Server started
                """);

        assertThat(log.history().events(HistoryEvent.TrackingStopped.class))
                .extracting(HistoryEvent.TrackingStopped::reason)
                .containsExactly("line 5 starts the server again while 1 buffer was allocated");
    }

    /** When all that shared a buffer are dead, a free of its address is of another buffer. */
    @Test
    void aFreeDoesNotEndABufferOfWhichAllProcessesAreDead() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(1);
        runs(2);
        runs(3);
        allocate(1, 64);
        allocate(2, 64);
        processes.remove(2L);
        server.checkProcesses();
        processes.remove(1L);
        server.checkProcesses();
        free(3, 64);

        assertThat(openReports(log().history()))
                .hasSize(1)
                .isEqualTo(openReports(server.tracker().history()));
    }

    private static List<String> openReports(AllocationHistory history) {
        return history.live().stream()
                .map(life -> life.device() + " " + life.address() + " of life " + life.openPeriod() + " open "
                        + life.openReports())
                .sorted()
                .toList();
    }

    private AllocationLog log() throws IOException, InterruptedException {
        server.awaitQuiet(LONG);
        return read(log.toString());
    }

    private LeakVerdict verdictOnLog() throws IOException, InterruptedException {
        return LeakCheck.create().examine(log().history());
    }

    private static AllocationLog read(String text) throws IOException {
        return AllocationLog.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "server.log");
    }

    private void allocate(int process, long id) throws IOException {
        try (RawClient client = client()) {
            client.send(Request.allocation(process, 0, BufferType.L1, id, 64));
            client.query(0);
        }
    }

    private void free(int process, long id) throws IOException {
        try (RawClient client = client()) {
            client.send(Request.free(process, 0, id));
            client.query(0);
        }
    }
}
