package dev.meshguard.report;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.internal.DeviceNames;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.difference.HistoryDifference;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The whole texts of accumulations, budgets and differences. */
class GrowthReportTests {

    private final AllocationTracker tracker = withoutOrigins();

    @Test
    void reportsGrowthWithItsSlopeAndSite() {
        tracker.rounds(4, round -> {
            take(0, "kv-cache", round * 1_024L);
            take(1, "kv-cache", round * 1_024L);
            if (round == 1) {
                take(0, "weights", 100_000);
            }
        });

        assertThat(growth()).isEqualTo("""
                GROWING  4 rounds, the first for warming up · memory grows: DRAM of device 0 by 11.72 KiB (12000 B) per round, and 1 more
                Memory retained by each round, in bytes:
                   DRAM of device 0  [24000, 12000, 12000, 12000]  growing by 11.72 KiB (12000 B) per round, in rounds 2-4
                   DRAM of device 1  [12000, 12000, 12000, 12000]  growing by 11.72 KiB (12000 B) per round, in rounds 2-4
                Call sites, the worst first:
                   DRAM buffers of 11.72 KiB (12000 B) "kv-cache", buffers retained on devices 0-1: [1, 1, 1, 1], growing
                   DRAM buffers of 11.72 KiB (12000 B) "weights", buffers retained on device 0: [1, 0, 0, 0], settled""");
    }

    @Test
    void namesNoTypeOfMemoryThatBelongsToNoDevice() {
        tracker.rounds(
                3, round -> tracker.lease(AllocationDetails.user(), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 64));

        assertThat(growth())
                .startsWith(
                        "GROWING  3 rounds, the first for warming up · memory grows: memory of no device by 64 B per round\n")
                .contains("\n   memory of no device  [64, 64, 64]  growing by 64 B per round, in rounds 2-3");
    }

    @Test
    void countsMemoryOfUnknownSizeInTheUnitsOfItsSource() {
        attach("objects", SourceVocabulary.ofObjects("RocksIterator"));
        attach("arenas", SourceVocabulary.of("native memory").countedIn("arena"));
        tracker.rounds(3, round -> {
            leaseOf("objects", 0);
            if (round != 2) {
                leaseOf("arenas", 0);
            }
        });

        assertThat(growth()).isEqualTo("""
                GROWING  3 rounds, the first for warming up · memory grows: by 1 RocksIterator per round
                Memory of unknown size retained by each round, by number:
                   RocksIterator  [1, 1, 1]  growing by 1 RocksIterator per round, in rounds 2-3
                   native memory  [1, 0, 1]  undecided, at least 2 more rounds needed
                Call sites, the worst first:
                   RocksIterator, retained: [1, 1, 1], growing
                   native memory arenas, arenas retained: [1, 0, 1], undecided""");
    }

    @Test
    void showsTheBytesOfASiteThatGrowsWithoutMoreBuffers() {
        attach("objects", SourceVocabulary.ofObjects("RocksIterator"));
        Lease buffer = tracker.lease(AllocationDetails.user(), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 64);
        Lease object = leaseOf("objects", 64);
        tracker.rounds(3, round -> {
            buffer.resized(64 + round * 64L);
            object.resized(64 + round * 32L);
        });

        assertThat(growth())
                .endsWith("bytes retained on no device: [64, 64, 64], growing\n"
                        + "   RocksIterator of 160 B, bytes retained: [32, 32, 32], growing");
    }

    @Test
    void memoryOfUnknownSizeThatSettlesGrowsByNoUnit() {
        attach("objects", SourceVocabulary.ofObjects("RocksIterator"));
        leaseOf("objects", 0);
        tracker.rounds(3, round -> {
            if (round == 1) {
                leaseOf("objects", 0);
            }
        });

        assertThat(growth())
                .startsWith("SETTLED  3 rounds, the first for warming up · memory grows by 0 RocksIterator per round\n")
                .contains("\n   RocksIterator  [1, 0, 0]  settled\n");
    }

    @Test
    void reportsHowManyMoreRoundsAreNeeded() {
        tracker.rounds(2, round -> tracker.allocated(0, L1, round * 1_024L, 64));

        assertThat(growth()).isEqualTo("""
                UNDECIDED  2 rounds, the first for warming up · it cannot be known whether memory grows
                2 of at least 3 rounds ended, of which 1 is for warming up. Mark each with tracker.round(n).
                Memory retained by each round, in bytes:
                   L1 of device 0  [64, 64]  undecided, at least 1 more round needed
                Call sites, the worst first:
                   L1 buffers of 64 B, buffers retained on device 0: [1, 1], undecided""");
    }

    @Test
    void reportsASettlingCacheWithoutASlope() {
        tracker.rounds(3, round -> {
            for (int buffer = round; buffer < 3; buffer++) {
                tracker.allocated(0, L1, round * 1_024L + buffer * 64L, 64);
            }
        });

        assertThat(growth()).isEqualTo("""
                SETTLING  3 rounds, the first for warming up · memory grew after the warm-up, and grows by 0 B per round now
                Memory retained by each round, in bytes:
                   L1 of device 0  [128, 64, 0]  settling
                Call sites, the worst first:
                   L1 buffers of 64 B, buffers retained on device 0: [2, 1, 0], settling""");
    }

    @Test
    void manySitesAreCutAtFortyLines() {
        tracker.rounds(3, round -> {
            for (int buffer = 0; buffer < 100; buffer++) {
                int device = buffer % 16;
                tracker.allocated(device, DRAM, (round * 100L + buffer) * 1_024, 64 + buffer);
            }
        });

        assertThat(growth().lines().count()).isLessThanOrEqualTo(40);
        assertThat(growth()).contains("… and ");
    }

    @Test
    void readsTheSameInEveryLocale() {
        tracker.rounds(3, round -> tracker.allocated(0, L1, round * 1_024L, 1_500));
        Locale before = Locale.getDefault();
        try {
            String english = growth();
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(growth()).isEqualTo(english);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void reportsAPeakOverBudgetWithItsTopConsumers() {
        HistoryScript.on(tracker).report("""
                phase TEST; allocate L1 4096 on 0, size 2048, label kv-cache;
                allocate L1 8192 on 0, size 4096, circular buffer of program 7;
                allocate L1 4096 on 1, size 2048, label kv-cache;
                allocate L1 8192 on 1, size 4096, circular buffer of program 7; phase START
                """);

        assertThat(budget(List.of(), BudgetSpec.of(L1).peakBytes(4_096).buffers(1)))
                .isEqualTo("""
                        OVER BUDGET  2 limits of 1 budget not met
                        1. L1 of devices 0-1: peak 6 KiB (6144 B), 2 KiB (2048 B) over the budget of 4 KiB (4096 B)
                           at event #3 in TEST; circular buffers included: 4 KiB (4096 B) of it
                           held 4 KiB (4096 B) in 1 buffer: L1 buffers of 4 KiB (4096 B)
                           held 2 KiB (2048 B) in 1 buffer: L1 buffers of 2 KiB (2048 B) "kv-cache"
                        2. L1 of devices 0-1: 2 buffers at once, 1 more than the budget of 1
                           at event #3 in TEST; circular buffers included: 4 KiB (4096 B) of it
                           held 4 KiB (4096 B) in 1 buffer: L1 buffers of 4 KiB (4096 B)
                           held 2 KiB (2048 B) in 1 buffer: L1 buffers of 2 KiB (2048 B) "kv-cache"
                        rerun   mvn test -Dtest=KvCacheTest#decode""");
    }

    @Test
    void reportsFragmentedFreeMemory() {
        List<FreeSpace> readings = List.of(new FreeSpace(DRAM, List.of(0, 1, 2), 4_096, 1_024));

        assertThat(budget(readings, BudgetSpec.of(DRAM).largestFreeBlock(2_048)))
                .isEqualTo("""
                        OVER BUDGET  1 limit of 1 budget not met
                        1. DRAM of devices 0-2: largest free block 1 KiB (1024 B), and at least 2 KiB (2048 B) is in the budget
                           each bank has 4 KiB (4096 B) free, and 1 KiB (1024 B) of it in one block
                        rerun   mvn test -Dtest=KvCacheTest#decode""");
    }

    @Test
    void reportsWhatCannotBeChecked() {
        assertThat(budget(List.of(), BudgetSpec.of(DRAM).largestFreeBlock(2_048)))
                .isEqualTo("""
                        BUDGET NOT CHECKED  1 limit of 1 budget cannot be checked
                        1. DRAM of each device: largest free block at least 2 KiB (2048 B): the largest free block cannot be checked
                           No open mesh could be asked: a history does not hold how free memory lies. Ask a mesh that is still open, or leave the limit out.
                        rerun   mvn test -Dtest=KvCacheTest#decode""");
    }

    @Test
    void reportsAKeptBudgetWithWhatWasNotCounted() {
        HistoryScript.on(tracker)
                .report("mesh 0 without 0; allocate DRAM 4096 on 0, owning; witness CLOSE_BEGUN DRAM on 0; close");

        assertThat(budget(List.of(), BudgetSpec.of(DRAM).peakBytes(0))).isEqualTo("""
                WITHIN BUDGET  1 budget
                note    1 buffer whose free was never reported is not counted, because it is unknown until when it was held
                rerun   mvn test -Dtest=KvCacheTest#decode""");
    }

    @Test
    void reportsChangesBetweenRunsWithNewSurvivorsFirst() {
        AllocationHistory yesterday = HistoryScript.historyOf("""
                without origins; allocate DRAM 4096 on 0..1; free DRAM 4096 on 0..1; allocate L1 4096 on 0..1, size 32;
                free L1 4096 on 0..1
                """);
        AllocationHistory today = HistoryScript.historyOf("""
                without origins; allocate DRAM 8192 on 0..1; allocate DRAM 4096 on 0..1, size 2048; free DRAM 4096 on 0..1
                """);

        assertThat(DifferenceReport.of(HistoryDifference.between(yesterday, today))
                        .text())
                .isEqualTo("""
                        CHANGED  3 sites of allocation changed, what leaves more first
                           DRAM buffers of 64 B: new survivors
                              live nothing -> 2 buffers of 128 B
                           DRAM buffers of 2 KiB (2048 B): new
                              allocated nothing -> 2 buffers of 4 KiB (4096 B)
                           L1 buffers of 32 B: gone
                              allocated 2 buffers of 64 B -> nothing
                        Peaks:
                           DRAM of devices 0-1: 64 B -> 2.06 KiB (2112 B), 2 KiB (2048 B) more
                           L1 of devices 0-1: 32 B -> 0 B, 32 B less""");
    }

    @Test
    void reportsChangesOfMemoryOfNoDeviceInTheWordsOfItsSource() {
        attach("objects", SourceVocabulary.ofObjects("RocksIterator"));
        attach("arenas", SourceVocabulary.of("native memory").countedIn("arena"));
        leaseOf("objects", 0);
        AllocationHistory yesterday = tracker.history();
        leaseOf("objects", 0);
        leaseOf("arenas", 64);

        assertThat(DifferenceReport.of(HistoryDifference.between(yesterday, tracker.history()))
                        .text())
                .isEqualTo("""
                        CHANGED  2 sites of allocation changed, what leaves more first
                           native memory arenas of 64 B: new survivors
                              allocated nothing -> 1 arena of 64 B
                              live nothing -> 1 arena of 64 B
                           RocksIterator: leaves 1 RocksIterator more
                              constructed 1 RocksIterator -> 2 RocksIterator
                              live 1 RocksIterator -> 2 RocksIterator
                        Peaks:
                           memory of no device: 0 B -> 64 B, 64 B more""");
    }

    @Test
    void reportsThatRunsAreAlike() {
        AllocationHistory history = tracker.history();

        assertThat(DifferenceReport.of(HistoryDifference.between(history, history))
                        .text())
                .isEqualTo("SAME USAGE  both runs used memory alike");
    }

    @Test
    void devicesAreNamedInRanges() {
        assertThat(DeviceNames.of(List.of(3))).isEqualTo("device 3");
        assertThat(DeviceNames.of(List.of(0, 1, 2, 3))).isEqualTo("devices 0-3");
        assertThat(DeviceNames.of(List.of(0, 2, 3, 7))).isEqualTo("devices 0, 2-3, 7");
    }

    private String growth() {
        return AccumulationReport.of(Accumulation.of(tracker.history())).text();
    }

    private String budget(List<FreeSpace> readings, BudgetSpec budget) {
        return new BudgetReport(
                        BudgetVerdict.of(LeakCheck.create().examine(tracker.history()), List.of(budget), readings),
                        Optional.of("mvn test -Dtest=KvCacheTest#decode"),
                        Optional.empty())
                .text();
    }

    private void take(int device, String label, long address) {
        tracker.allocated(
                tracker.request(AllocationDetails.user().labelled(label)),
                device,
                DRAM,
                address,
                12_000,
                Ownership.OWNING);
    }

    private void attach(String source, SourceVocabulary words) {
        tracker.sourceAttached(SourceDescription.of(source).speaking(words));
    }

    private Lease leaseOf(String source, long size) {
        return tracker.lease(
                AllocationDetails.user().fromSource(source), OriginFilter.none(), BufferType.SYSTEM_MEMORY, size);
    }

    private static AllocationTracker withoutOrigins() {
        return AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
    }
}
