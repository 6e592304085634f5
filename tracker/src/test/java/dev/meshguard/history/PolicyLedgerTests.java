package dev.meshguard.history;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.history.CountingPolicy.EVERY_REPORT;
import static dev.meshguard.history.CountingPolicy.ONCE_PER_ADDRESS;
import static dev.meshguard.history.CountingPolicy.OWNED_ONLY;
import static dev.meshguard.history.CountingPolicy.REFERENCE_COUNTED;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Seed;
import dev.meshguard.tracker.script.HistoryScript;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PolicyLedgerTests {

    /** Twice at one address with two sizes, then three frees: the L1 counter after each step. */
    @Test
    void followsTheMiniTraceOfAServerThatCountsReferences() {
        assertThat(miniTrace(REFERENCE_COUNTED)).containsExactly(4_096L, 4_096L, 4_096L, 0L, 0L);
        assertThat(miniTraceWhole().ledger(REFERENCE_COUNTED).unknownFrees()).isEqualTo(1);
    }

    @Test
    void driftsOnTheMiniTraceOfAServerThatCountsEveryReport() {
        assertThat(miniTrace(EVERY_REPORT)).containsExactly(4_096L, 6_144L, 4_096L, 4_096L, 4_096L);
        assertThat(miniTraceWhole().ledger(EVERY_REPORT).unknownFrees()).isEqualTo(2);
    }

    @Test
    void forgetsTheMiniTracesAddressAtItsFirstFreeWhenItCountsAddressesOnce() {
        assertThat(miniTrace(ONCE_PER_ADDRESS)).containsExactly(4_096L, 4_096L, 0L, 0L, 0L);
        assertThat(miniTraceWhole().ledger(ONCE_PER_ADDRESS).unknownFrees()).isEqualTo(2);
    }

    /** A binary of 12,288 and one of 24,576 bytes, each reported twice and freed once when its view goes. */
    @Test
    void keepsThe36KilobytesOfTwoCachedProgramsUnderReferenceCounts() {
        PolicyLedger books = cachedBinaries().recorded().ledger(REFERENCE_COUNTED);

        assertThat(books.bytes(0, DRAM)).isEqualTo(36_864);
        assertThat(books.entries()).isEqualTo(2);
        assertThat(books.unknownFrees()).isZero();
    }

    @Test
    void balancesThe36KilobytesWhenTheCacheIsClearedUnderReferenceCounts() {
        PolicyLedger books = clearedBinaries().ledger(REFERENCE_COUNTED);

        assertThat(books.isEmpty()).isTrue();
        assertThat(books.peakBytes(0, DRAM)).isEqualTo(36_864);
        assertThat(books.unknownFrees()).isZero();
    }

    @Test
    void callsThe36KilobytesALeakWhenEveryReportCounts() {
        PolicyLedger books = clearedBinaries().ledger(EVERY_REPORT);

        assertThat(books.bytes(0, DRAM)).isEqualTo(36_864);
        assertThat(books.entries()).isZero();
        assertThat(books.unknownFrees()).isEqualTo(2);
        assertThat(books.isEmpty()).isFalse();
    }

    /** The three addresses of the circular buffers of add and matmul, never reported freed. */
    @Test
    void counts12KilobytesOfCircularBuffersByReferenceAnd22ByReport() {
        var history = circularBuffers().recorded();

        assertThat(history.ledger(REFERENCE_COUNTED).bytes(0, L1)).isEqualTo(12_288);
        assertThat(history.ledger(EVERY_REPORT).bytes(0, L1)).isEqualTo(22_528);
        assertThat(history.ledger(ONCE_PER_ADDRESS).bytes(0, L1)).isEqualTo(12_288);
        assertThat(history.ledger(EVERY_REPORT).entries()).isEqualTo(3);
        assertThat(history.ledger(REFERENCE_COUNTED).reports(0)).isEqualTo(6);
    }

    @Test
    void leaves12KilobytesOfCircularBuffersFreedTwiceWhenEveryReportCounts() {
        var script = circularBuffers();
        for (int program = 0; program < 2; program++) {
            for (long address : new long[] {101_152, 105_248, 109_344}) {
                script.free(L1, device(0), address);
            }
        }
        PolicyLedger books = script.recorded().ledger(EVERY_REPORT);

        assertThat(books.bytes(0, L1)).isEqualTo(12_288);
        assertThat(books.entries()).isZero();
        assertThat(books.unknownFrees()).isEqualTo(3);
    }

    @Test
    void leavesOutWhatOwnsNothing() {
        var history = historyOf("""
                allocate DRAM 0x1000 on 0, owning; allocate DRAM 0x1000 on 0, view; allocate DRAM 0x2000 on 0, view;
                free DRAM 0x1000 on 0, view
                """);

        PolicyLedger books = history.ledger(OWNED_ONLY);

        assertThat(books.bytes(0, DRAM)).isEqualTo(64);
        assertThat(books.reports(0)).isEqualTo(1);
        assertThat(books.unknownFrees()).isZero();
    }

    @Test
    void rejectsAnAllocationOfUnknownOwnership() {
        var history = historyOf("allocate DRAM 0x1000 on 0, owning; allocate DRAM 0x2000 on 0");

        assertThatIllegalStateException()
                .isThrownBy(() -> history.ledger(OWNED_ONLY))
                .withMessage(expected(
                        history,
                        "Cannot read this history as OWNED_ONLY: {last allocated} does not say whether its buffer owns its"
                                + " memory. Report the ownership with every buffer, or read it as REFERENCE_COUNTED."));
    }

    @Test
    void rejectsAFreeOfUnknownOwnership() {
        var history = historyOf("allocate DRAM 0x1000 on 0, owning; free DRAM 0x1000 on 0");

        assertThatIllegalStateException()
                .isThrownBy(() -> history.ledger(OWNED_ONLY))
                .withMessage(expected(
                        history,
                        "Cannot read this history as OWNED_ONLY: {freed} does not say whether its buffer owns its"
                                + " memory. Report the ownership with every buffer, or read it as REFERENCE_COUNTED."));
    }

    @Test
    void describesItselfInOneLineADevice() {
        AllocationHistory history =
                circularBuffers().allocate(DRAM, device(3), 0x1000, 64).recorded();

        assertThat(history.ledger(REFERENCE_COUNTED)).hasToString(expected(history, """
                        Books read as REFERENCE_COUNTED, 0 unknown frees
                          device 0: L1 12 KiB (12288 B), 6 reports, 3 entries
                          device 3: DRAM 64 B, 1 report, 1 entry
                          reported 2 times at one live address: L1 0x18b20 (101152) on device 0, {allocated 1 and 4}
                          reported 2 times at one live address: L1 0x19b20 (105248) on device 0, {allocated 2 and 5}
                          reported 2 times at one live address: L1 0x1ab20 (109344) on device 0, {allocated 3 and 6}"""));
    }

    @ParameterizedTest
    @EnumSource(CountingPolicy.class)
    void agreesWithANaiveModel(CountingPolicy policy) {
        Seed seed = Seed.next();
        Random random = seed.random();
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        NaiveLedger model = new NaiveLedger(policy);

        for (int step = 0; step < 5_000; step++) {
            int device = random.nextInt(3);
            BufferType type = random.nextBoolean() ? DRAM : L1;
            long address = 32L * random.nextInt(20);
            Ownership ownership = random.nextBoolean() ? Ownership.OWNING : Ownership.NON_OWNING;
            String place = device + " " + type;
            if (random.nextInt(100) < 55) {
                long size = random.nextInt(10_000);
                tracker.allocated(tracker.request(AllocationDetails.user()), device, type, address, size, ownership);
                model.allocated(device, place, place + " " + address, size, ownership);
            } else {
                tracker.freed(tracker.release(AllocationDetails.user()), device, type, address, ownership);
                model.freed(device, place, place + " " + address, ownership);
            }
        }
        PolicyLedger books = tracker.history().ledger(policy);

        assertThat(books.unknownFrees()).describedAs(seed.toString()).isEqualTo(model.unknownFrees);
        assertThat(books.entries()).describedAs(seed.toString()).isEqualTo(model.entries.size());
        for (int device = 0; device < 3; device++) {
            assertThat(books.reports(device))
                    .describedAs(seed.toString())
                    .isEqualTo(model.reports.getOrDefault(device, 0L));
            for (BufferType type : List.of(DRAM, L1)) {
                String place = device + " " + type;
                assertThat(books.bytes(device, type))
                        .describedAs("%s, %s", place, seed)
                        .isEqualTo(model.bytes.getOrDefault(place, 0L));
                assertThat(books.peakBytes(device, type))
                        .describedAs("%s, %s", place, seed)
                        .isEqualTo(model.peaks.getOrDefault(place, 0L));
            }
        }
    }

    private static List<Long> miniTrace(CountingPolicy policy) {
        AllocationTracker tracker = AllocationTracker.create();
        List<Long> bytes = new ArrayList<>();
        List<Runnable> steps = List.of(
                () -> tracker.allocated(0, L1, 101_152, 4_096),
                () -> tracker.allocated(0, L1, 101_152, 2_048),
                () -> tracker.freed(0, L1, 101_152),
                () -> tracker.freed(0, L1, 101_152),
                () -> tracker.freed(0, L1, 101_152));
        for (Runnable step : steps) {
            step.run();
            bytes.add(tracker.history().ledger(policy).bytes(0, L1));
        }
        return bytes;
    }

    private static AllocationHistory miniTraceWhole() {
        return historyOf("""
                allocate L1 101152 on 0, size 4096; allocate L1 101152 on 0, size 2048; free L1 101152 on 0;
                free L1 101152 on 0; free L1 101152 on 0
                """);
    }

    private static HistoryScript cachedBinaries() {
        return history().report("""
                allocate DRAM 0x3ffff800 on 0, size 12288; allocate DRAM 0x3ffff800 on 0, size 12288;
                free DRAM 0x3ffff800 on 0; allocate DRAM 0x3ffff000 on 0, size 24576;
                allocate DRAM 0x3ffff000 on 0, size 24576; free DRAM 0x3ffff000 on 0
                """);
    }

    private static AllocationHistory clearedBinaries() {
        return cachedBinaries()
                .report("free DRAM 0x3ffff800 on 0; free DRAM 0x3ffff000 on 0")
                .recorded();
    }

    private static HistoryScript circularBuffers() {
        return history().report("""
                allocate L1 101152 on 0, size 4096; allocate L1 105248 on 0, size 4096;
                allocate L1 109344 on 0, size 4096; allocate L1 101152 on 0, size 4096;
                allocate L1 105248 on 0, size 4096; allocate L1 109344 on 0, size 2048
                """);
    }

    /** The four policies as in the table, in maps from text. */
    private static final class NaiveLedger {

        private final CountingPolicy policy;
        private final Map<String, long[]> entries = new HashMap<>();
        private final Map<String, Long> bytes = new HashMap<>();
        private final Map<String, Long> peaks = new HashMap<>();
        private final Map<Integer, Long> reports = new HashMap<>();
        private long unknownFrees;

        private NaiveLedger(CountingPolicy policy) {
            this.policy = policy;
        }

        private void allocated(int device, String place, String key, long size, Ownership ownership) {
            if (policy == OWNED_ONLY && ownership == Ownership.NON_OWNING) {
                return;
            }
            long[] entry = entries.get(key);
            if (policy == ONCE_PER_ADDRESS && entry != null) {
                return;
            }
            if (policy == EVERY_REPORT || entry == null) {
                entries.put(key, new long[] {size, 1});
                bytes.merge(place, size, Long::sum);
            } else {
                entry[1]++;
            }
            reports.merge(device, 1L, Long::sum);
            peaks.merge(place, bytes.getOrDefault(place, 0L), Math::max);
        }

        private void freed(int device, String place, String key, Ownership ownership) {
            if (policy == OWNED_ONLY && ownership == Ownership.NON_OWNING) {
                return;
            }
            long[] entry = entries.get(key);
            if (entry == null) {
                unknownFrees++;
                return;
            }
            reports.merge(device, -1L, Long::sum);
            if (--entry[1] == 0) {
                entries.remove(key);
                bytes.merge(place, -entry[0], Long::sum);
            }
        }
    }
}
