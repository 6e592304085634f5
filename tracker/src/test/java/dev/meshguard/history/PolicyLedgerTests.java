package dev.meshguard.history;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.history.CountingPolicy.EVERY_REPORT;
import static dev.meshguard.history.CountingPolicy.ONCE_PER_ADDRESS;
import static dev.meshguard.history.CountingPolicy.OWNED_ONLY;
import static dev.meshguard.history.CountingPolicy.REFERENCE_COUNTED;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Seed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PolicyLedgerTests {

    /** Servers count these differently: a double report, binaries of cached programs, circular buffers, and a view. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            allocate DRAM 0x1000 on 0, size 40; allocate DRAM 0x1000 on 0, size 20; free DRAM 0x1000 on 0 | REFERENCE_COUNTED \
                | 40 | 1 | 0
            allocate DRAM 0x1000 on 0, size 40; allocate DRAM 0x1000 on 0, size 20; free DRAM 0x1000 on 0 | EVERY_REPORT | 40 \
                | 0 | 0
            allocate DRAM 0x1000 on 0, size 40; allocate DRAM 0x1000 on 0, size 20; free DRAM 0x1000 on 0 | ONCE_PER_ADDRESS \
                | 0 | 0 | 0
            allocate DRAM 0x1000 on 0, again UNKNOWN; free DRAM 0x1000 on 0; free DRAM 0x1000 on 0 | EVERY_REPORT | 64 | 0 | 1
            allocate DRAM 0x1000 on 0, owning, again NON_OWNING; free DRAM 0x1000 on 0, view | OWNED_ONLY | 64 | 1 | 0
            """)
    void countsTheBytesOfADevice(String history, CountingPolicy policy, long bytes, int entries, int unknownFrees) {
        PolicyLedger books = historyOf(history).ledger(policy);

        assertThat(books.bytes(0, DRAM)).isEqualTo(bytes);
        assertThat(books.entries()).isEqualTo(entries);
        assertThat(books.unknownFrees()).isEqualTo(unknownFrees);
        assertThat(books.isEmpty()).isEqualTo(bytes == 0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            allocate DRAM 0x1000 on 0, owning; allocate DRAM 0x2000 on 0 | {last allocated}
            allocate DRAM 0x1000 on 0, owning; free DRAM 0x1000 on 0     | {freed}
            """)
    void rejectsReportsOfUnknownOwnership(String sentences, String report) {
        var history = historyOf(sentences);

        assertThatIllegalStateException()
                .isThrownBy(() -> history.ledger(OWNED_ONLY))
                .withMessage(expected(
                        history,
                        "Cannot read this history as OWNED_ONLY: " + report
                                + " does not say whether its buffer owns its"
                                + " memory. Report the ownership with every buffer, or read it as REFERENCE_COUNTED."));
    }

    @Test
    void describesItselfInOneLineADevice() {
        AllocationHistory history = historyOf("""
                allocate L1 101152 on 0, size 4096, again UNKNOWN; allocate L1 105248 on 0, size 4096, again UNKNOWN;
                allocate L1 109344 on 0, size 4096, again UNKNOWN; allocate DRAM 0x1000 on 3
                """);

        assertThat(history.ledger(REFERENCE_COUNTED)).hasToString(expected(history, """
                        Books read as REFERENCE_COUNTED, 0 unknown frees
                          device 0: L1 12 KiB (12288 B), 6 reports, 3 entries
                          device 3: DRAM 64 B, 1 report, 1 entry
                          reported 2 times at one live address: L1 0x18b20 (101152) on device 0, {allocated 1 and 2}
                          reported 2 times at one live address: L1 0x19b20 (105248) on device 0, {allocated 3 and 4}
                          reported 2 times at one live address: L1 0x1ab20 (109344) on device 0, {allocated 5 and 6}"""));
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
