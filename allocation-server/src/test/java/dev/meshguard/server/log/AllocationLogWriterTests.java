package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A history is written as the log of tt-metal's server; rerun a seed with {@code -Dmeshguard.seed=…}. */
class AllocationLogWriterTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_260_301);
    private static final int OPERATIONS = Integer.getInteger("meshguard.operations", 25_000);
    private static final int OPERATIONS_OF_A_HISTORY = 300;
    private static final LocalDate TODAY = LocalDate.of(2026, 3, 1);
    private static final long[] SIZES = {64, 2048, 4096, 36_864, 12_503_040, 100_000_000, 1_073_741_824};

    private final Random random = new Random(SEED);
    private final AllocationTracker tracker = newTracker();

    /** A log knows devices only. Without a line about it, a leak of such memory would be clean. */
    @ParameterizedTest
    @EnumSource(names = {"WITHOUT_REFERENCES", "REFERENCE_COUNTED", "HEXADECIMAL", "WITH_CIRCULAR_BUFFERS"})
    void saysThatMemoryOfNoDeviceIsMissing(LogDialect dialect) throws IOException {
        report(7, 101_152, 4096);
        free(7, 101_152);
        String without = log(dialect);
        Lease lease = tracker.lease(AllocationDetails.user(), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 64);
        lease.resized(128);
        lease.freed();

        assertThat(log(dialect))
                .doesNotContain("2000000000")
                .contains("reports are missing here")
                .hasSizeGreaterThan(without.length());
    }

    @Test
    void theMiniTraceIsTheServersOwn() throws IOException {
        report(7, 101_152, 4096);
        report(7, 101_152, 2048);
        free(7, 101_152);
        free(7, 101_152);
        free(7, 101_152);

        assertThat(log(LogDialect.REFERENCE_COUNTED)).isEqualTo("""
                🚀 Allocation Server started
                   Listening on: /tmp/tt_allocation_server.sock
                   Press Ctrl+C to stop
                ✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)
                ✓ [PID 7] Allocated 2048 bytes of L1 on device 0 (buffer_id=101152, ref_count=2)
                ✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, ref_count=1 remaining)
                ✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, FINAL)
                ⚠ [PID 7] Deallocation for unknown buffer 101152 on device 0 (allocated before tracking started)

                📊 Current Statistics:
                  Active allocations: 0

                🛑 Allocation Server stopped
                """);
    }

    @Test
    void hexadecimalIdsAreTheOnlyDifferenceOfTheLaterServer() throws IOException {
        report(7, 0x1a0000, 524_288);
        free(7, 0x1a0000);

        assertThat(reportLines(log(LogDialect.HEXADECIMAL)))
                .containsExactly(
                        "✓ [PID 7] Allocated 524288 bytes of L1 on device 0 (buffer_id=0x1a0000)",
                        "✗ [PID 7] Freed buffer 0x1a0000 on device 0 (524288 bytes, FINAL)");
    }

    @Test
    void theFreesOfAFixedRuntimeAreTheLinesThatWereExpectedOfIt() throws IOException {
        MemoryRequest request = tracker.request(AllocationDetails.user());
        MemoryRequest release = tracker.release(AllocationDetails.user());
        for (int device = 0; device < 8; device++) {
            tracker.allocated(request, device, BufferType.DRAM, 3_700_768, 1_048_576, Ownership.OWNING);
        }
        for (int device = 0; device < 8; device++) {
            tracker.freed(release, device, BufferType.DRAM, 3_700_768, Ownership.OWNING);
        }

        assertThat(log(LogDialect.WITHOUT_REFERENCES).lines().filter(line -> line.contains("Freed")))
                .containsExactlyElementsOf(linesExpectedOfTheFix());
    }

    @Test
    void aDumpAndTheDeadAreWrittenWhereTheyWere() throws IOException {
        for (int buffer = 0; buffer < 11; buffer++) {
            report(7, 4096L * (buffer + 1), 4096);
        }
        tracker.allocated(
                tracker.request(AllocationDetails.user().reportedBy(8)),
                2,
                BufferType.TRACE,
                64,
                36_864,
                Ownership.UNKNOWN);
        tracker.checked(TODAY);
        tracker.processDied(7);
        tracker.freed(tracker.release(AllocationDetails.user()), 2, BufferType.TRACE, 64, Ownership.UNKNOWN);
        tracker.checked(TODAY);

        assertThat(log(LogDialect.REFERENCE_COUNTED)).endsWith("""
                📋 Received DUMP_REMAINING request...

                ╔══════════════════════════════════════════════════════════════╗
                ║           REMAINING ALLOCATED BUFFERS                       ║
                ╚══════════════════════════════════════════════════════════════╝
                Total tracked allocations: 12

                Device 0:
                  L1: 11 buffers, 0.0429688 MB total

                Device 2:
                  TRACE: 1 buffers, 0.0351562 MB total
                    - Buffer 0x40: 36 KB (PID 8, ref_count=1)

                Total remaining buffers: 12

                📋 DUMP_REMAINING complete.

                ⚠️  Detected dead processes, cleaning up orphaned buffers...
                   PID 7 is dead, removing its buffers...
                   ✓ Removed 11 buffers (0.0429688 MB) from PID 7

                ✗ [PID 8] Freed buffer 64 on device 2 (36864 bytes, FINAL)
                📋 Received DUMP_REMAINING request...

                ╔══════════════════════════════════════════════════════════════╗
                ║           REMAINING ALLOCATED BUFFERS                       ║
                ╚══════════════════════════════════════════════════════════════╝
                Total tracked allocations: 0

                ✓ No buffers remaining - perfect cleanup!
                📋 DUMP_REMAINING complete.

                📊 Current Statistics:
                  Active allocations: 0

                🛑 Allocation Server stopped
                """);
    }

    @Test
    void writesCircularBuffersSeparatelyForTheLastServer() throws IOException {
        AllocationDetails circularBuffer = AllocationDetails.circularBuffer(Owner.program("1"));
        tracker.allocated(tracker.request(circularBuffer), 0, BufferType.L1, 101_152, 12_288, Ownership.UNKNOWN);
        tracker.freed(tracker.release(circularBuffer), 0, BufferType.L1, 101_152, Ownership.UNKNOWN);

        assertThat(log(LogDialect.WITH_CIRCULAR_BUFFERS).lines().filter(line -> line.contains("[CB_")))
                .containsExactly(
                        "✓ [CB_ALLOC] Device 0: +0.0117188 MB (Total: 0.0117188 MB)",
                        "✗ [CB_FREE] Device 0: -0.0117188 MB (Total: 0 MB)");
    }

    @Test
    void lostReportsKeepTheVerdictInconclusive() throws IOException {
        report(7, 4096, 64);
        tracker.reportsLost(2, "the socket was full");
        free(7, 4096);

        LeakVerdict verdict = Logs.verdictOn(Logs.ofText(log(LogDialect.REFERENCE_COUNTED)));

        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void whoIsDeadIsStillToBlameInTheLog() throws IOException {
        report(7, 4096, 64);
        tracker.processDied(7);

        LeakVerdict verdict = Logs.verdictOn(Logs.ofText(log(LogDialect.REFERENCE_COUNTED)));

        assertThat(verdict.survivors(survivor -> true))
                .extracting(Survivor::cause)
                .containsExactly(Cause.PROCESS_DIED);
    }

    @ParameterizedTest
    @EnumSource(names = {"WITHOUT_REFERENCES", "REFERENCE_COUNTED", "HEXADECIMAL", "WITH_CIRCULAR_BUFFERS"})
    void whatWasWrittenReadsBackAsTheSameReports(LogDialect dialect) throws IOException {
        for (int run = 0; run < OPERATIONS / OPERATIONS_OF_A_HISTORY; run++) {
            boolean countsReferences = dialect != LogDialect.WITHOUT_REFERENCES;
            AllocationHistory history = randomHistory(countsReferences);

            AllocationLog log = Logs.ofText(text(history, dialect));

            assertThat(reports(log.history())).as("seed %d, run %d", SEED, run).isEqualTo(reports(history));
            assertThat(live(log.history())).as("seed %d, run %d", SEED, run).isEqualTo(live(history));
            assertThat(log.history().anomalies().size())
                    .as("seed %d, run %d", SEED, run)
                    .isEqualTo(history.anomalies().size());
            assertThat(Logs.losses(log)).as("seed %d, run %d", SEED, run).isEmpty();
            assertThat(log.unread().count()).as("seed %d, run %d", SEED, run).isZero();
            assertThat(log.differingStatistics())
                    .as("seed %d, run %d", SEED, run)
                    .isZero();
        }
    }

    @Test
    void theDialectsThatAreWrittenAreThoseWhoseFormIsKnown() {
        assertThat(AllocationLogWriter.dialects())
                .isEqualTo(EnumSet.of(
                        LogDialect.WITHOUT_REFERENCES,
                        LogDialect.REFERENCE_COUNTED,
                        LogDialect.HEXADECIMAL,
                        LogDialect.WITH_CIRCULAR_BUFFERS));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> log(LogDialect.WITHOUT_DEVICE))
                .withMessage(
                        "Logs of the dialect WITHOUT_DEVICE cannot be written, because its form is not known whole."
                                + " These can: WITHOUT_REFERENCES, REFERENCE_COUNTED, HEXADECIMAL, WITH_CIRCULAR_BUFFERS");
    }

    private static AllocationTracker newTracker() {
        return AllocationTracker.builder()
                .originCapture(OriginCapture.NONE)
                .bankedAddresses()
                .build();
    }

    private void report(long process, long address, long size) {
        tracker.allocated(
                tracker.request(AllocationDetails.user().reportedBy(process)),
                0,
                BufferType.L1,
                address,
                size,
                Ownership.UNKNOWN);
    }

    private void free(long process, long address) {
        tracker.freed(
                tracker.release(AllocationDetails.user().reportedBy(process)),
                0,
                BufferType.L1,
                address,
                Ownership.UNKNOWN);
    }

    private String log(LogDialect dialect) throws IOException {
        return text(tracker.history(), dialect);
    }

    private static String text(AllocationHistory history, LogDialect dialect) throws IOException {
        StringBuilder text = new StringBuilder();
        AllocationLogWriter.write(history, dialect, text);
        return text.toString();
    }

    private static List<String> reportLines(String log) {
        return log.lines().filter(line -> line.contains("[PID ")).toList();
    }

    /** Returns the lines that seed document 004 expects of a runtime that reports its frees. */
    private static List<String> linesExpectedOfTheFix() throws IOException {
        try (BufferedReader document = new BufferedReader(new InputStreamReader(
                AllocationLogWriterTests.class.getResourceAsStream("mesh-tracking-issues.md"),
                StandardCharsets.UTF_8))) {
            List<String> lines =
                    document.lines().filter(line -> line.contains("[PID xxx]")).toList();
            assertThat(lines).hasSize(8);
            return lines;
        }
    }

    /**
     * Creates reports, frees, unknown frees, dead processes and checks. An address has one memory type, because a log's
     * free does not contain it. The address of a dead process's buffer is not reused, because a server's log then
     * contains more than a history.
     */
    private AllocationHistory randomHistory(boolean withProcessesThatDie) {
        AllocationTracker recorded = newTracker();
        Set<String> left = new HashSet<>();
        Map<String, Long> firstOwner = new HashMap<>();
        Map<String, Integer> references = new HashMap<>();
        for (int operation = 0; operation < OPERATIONS_OF_A_HISTORY; operation++) {
            int device = random.nextInt(4);
            long address = 4096L * (1 + random.nextInt(5)) + (random.nextInt(5) == 0 ? 0xffff_0000_0000L : 0);
            BufferType type = BufferType.values()[(int) (address / 4096 % 5)];
            long process = 1L + random.nextInt(3);
            AllocationDetails who = random.nextInt(4) == 0
                    ? AllocationDetails.user()
                    : AllocationDetails.user().reportedBy(process);
            String place = device + "/" + address;
            int choice = random.nextInt(100);
            if (left.contains(place)) {
                continue;
            }
            if (choice < 50) {
                long size = SIZES[random.nextInt(SIZES.length)];
                recorded.allocated(recorded.request(who), device, type, address, size, Ownership.UNKNOWN);
                firstOwner.putIfAbsent(place, who.processId().orElse(0));
                references.merge(place, 1, Integer::sum);
            } else if (choice < 97) {
                recorded.freed(recorded.release(who), device, type, address, Ownership.UNKNOWN);
                if (references.merge(place, -1, Integer::sum) <= 0) {
                    references.remove(place);
                    firstOwner.remove(place);
                }
            } else if (choice == 97 && withProcessesThatDie) {
                recorded.processDied(process);
                firstOwner.forEach((where, owner) -> {
                    if (owner == process) {
                        left.add(where);
                    }
                });
            }
        }
        recorded.checked(TODAY);
        return recorded.history();
    }

    /**
     * The line of a free contains the owner and not the process that freed; the memory type is that of the allocation.
     */
    private static List<String> reports(AllocationHistory history) {
        List<String> reports = new ArrayList<>();
        history.events().forEach(event -> {
            if (event instanceof HistoryEvent.Allocated allocated) {
                OptionalLong process = allocated.request().details().processId();
                reports.add(event.toString().replaceFirst("^#\\d+ ", "") + " by " + process);
            } else if (event instanceof HistoryEvent.Freed freed) {
                reports.add(String.format(Locale.ROOT, "freed %d on %d", freed.address(), freed.device()));
            }
        });
        return reports;
    }

    private static List<String> live(AllocationHistory history) {
        return history.live().stream()
                .map(buffer -> buffer + " reports " + buffer.openReports())
                .sorted()
                .collect(Collectors.toList());
    }
}
