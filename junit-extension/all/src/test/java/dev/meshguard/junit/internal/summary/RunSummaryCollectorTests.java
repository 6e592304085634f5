package dev.meshguard.junit.internal.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.junit.internal.summary.RunSummaryCollector.RunningCheck;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;

/** The numbers of a run are those of its checks, timed by a given clock. */
class RunSummaryCollectorTests {

    private final AtomicLong now = new AtomicLong();

    @Test
    void timesChecksAndKeepsTheLongestFirst() {
        RunSummaryCollector numbers = numbers();

        check(numbers, "A#fast", 400_000);
        check(numbers, "B#slow", 1_234_567_890);
        check(numbers, "C#fair", 12_340_000);
        check(numbers, "D#faster", 300_000);

        assertThat(text(numbers)).isEqualTo("""
                        MeshGuard  4 tests tracked · 0 buffers · all checks held
                           slowest checks    1234.6 ms B#slow
                                             12.3 ms C#fair
                                             0.4 ms A#fast""");
    }

    @Test
    void aCheckThatIsCutShortHasFailed() {
        RunSummaryCollector numbers = numbers();

        numbers.checkOfTracker(subject("A#throws")).close();

        assertThat(text(numbers)).isEqualTo("""
                        MeshGuard  1 test tracked · 0 buffers · 1 failed
                           slowest checks    0.0 ms A#throws
                           rerun             mvn test -Dtest=A#throws""");
    }

    @Test
    void theHighestPeakOfOneDeviceCounts() {
        RunSummaryCollector numbers = numbers();

        held(numbers, "A#small", leak(BufferType.DRAM, 4_096));
        held(numbers, "B#large", leak(BufferType.DRAM, 12_288));
        held(numbers, "C#other", leak(BufferType.L1, 1_000));

        assertThat(text(numbers)).isEqualTo("""
                        MeshGuard  3 tests tracked · 6 buffers · all checks held
                           peak of a device  DRAM 12 KiB (12288 B) in B#large
                                             L1 1000 B in C#other
                           slowest checks    0.0 ms A#small
                                             0.0 ms B#large
                                             0.0 ms C#other""");
    }

    @Test
    void memoryOfNoDeviceHasTheNameThatItsSourcesGiveIt() {
        RunSummaryCollector numbers = numbers();

        held(numbers, "A#onAMesh", leak(BufferType.DRAM, 4_096));
        held(numbers, "B#decodes", leakOf(SourceDescription.of("netty").speaking(SourceVocabulary.of("Netty memory"))));
        held(numbers, "C#maps", leakOf(SourceDescription.of("mapped files")));

        assertThat(text(numbers)).startsWith("""
                        MeshGuard  3 tests tracked · 4 buffers · all checks held
                           peak of a device  DRAM 4 KiB (4096 B) in A#onAMesh
                           peak              Netty memory 64 B in B#decodes
                                             memory of no device 64 B in C#maps
                        """);
    }

    @Test
    void doesNotCountBuffersOfOneOfSeveralTwice() {
        RunSummaryCollector numbers = numbers();

        try (RunningCheck part = numbers.checkOfContext(subject("A#part"))) {
            found(part, leak(BufferType.DRAM, 4_096));
            part.became(CheckOutcome.PASSED);
        }

        assertThat(text(numbers)).isEqualTo("""
                        MeshGuard  1 test tracked · 0 buffers · all checks held
                           slowest checks    0.0 ms A#part""");
    }

    @Test
    void theFirstCommandsAreListedAndTheOthersCounted() {
        RunSummaryCollector numbers = numbers();
        for (int number = 10; number < 22; number++) {
            fail(numbers, "A#t" + number);
        }

        assertThat(text(numbers)).endsWith("mvn test -Dtest=A#t19\n" + " ".repeat(21) + "… and 2 more");
    }

    @Test
    void countsTheSizesOfOneLineAsOneFinding() {
        RunSummaryCollector numbers = numbers();
        AllocationTracker tracker = AllocationTracker.create();
        for (int size = 1; size <= 3; size++) {
            tracker.allocated(
                    tracker.request(AllocationDetails.user()),
                    0,
                    BufferType.DRAM,
                    size << 16,
                    size * 1024L,
                    Ownership.OWNING);
        }
        try (RunningCheck check = numbers.checkOfTracker(subject("A#sizes"))) {
            found(check, LeakCheck.create().examine(tracker.history()));
        }

        assertThat(text(numbers)).contains("UNEXPLAINED  1 leak · 3 buffers · 6 KiB (6144 B)");
    }

    @Test
    void namesFailuresWithTheirTestsAndWhereTheOthersAre() {
        RunSummaryCollector numbers = numbers();
        for (int number = 10; number < 22; number++) {
            try (RunningCheck check = numbers.checkOfTracker(subject("A#t" + number))) {
                check.failedWith("BUDGET  the limit");
                check.shownAt("pages/t" + number + ".html");
            }
        }

        assertThat(text(numbers)).contains("… and 2 more, all in the report of the tests");

        numbers.shownOn("pages/index.html");

        assertThat(text(numbers))
                .contains(
                        "\n   failures          A#t10: BUDGET  the limit   pages/t10.html\n",
                        "… and 2 more, all on pages/index.html")
                .doesNotContain("A#t20:");
    }

    /** Tests that end at the same time wait for the lock, and the timeline of a long history takes a while. */
    @Test
    void readsAHistoryWithoutTheLockOfTheOtherChecks() {
        RunSummaryCollector numbers = numbers();
        List<Boolean> isLocked = new ArrayList<>();
        LeakVerdict verdict = mock(LeakVerdict.class, AdditionalAnswers.delegatesTo(leak(BufferType.DRAM, 4_096)));
        when(verdict.history()).thenAnswer(call -> {
            isLocked.add(Thread.holdsLock(numbers));
            return leak(BufferType.DRAM, 4_096).history();
        });

        try (RunningCheck check = numbers.checkOfTracker(subject("A#reads"))) {
            check.found(verdict, List.of());
        }

        assertThat(isLocked).isNotEmpty().containsOnly(false);
    }

    private RunSummaryCollector numbers() {
        return new RunSummaryCollector(OutputMode.ALWAYS, now::get);
    }

    private void check(RunSummaryCollector numbers, String name, long nanos) {
        try (RunningCheck check = numbers.checkOfTracker(subject(name))) {
            now.addAndGet(nanos);
            check.became(CheckOutcome.PASSED);
        }
    }

    private static void held(RunSummaryCollector numbers, String name, LeakVerdict verdict) {
        try (RunningCheck check = numbers.checkOfTracker(subject(name))) {
            found(check, verdict);
            check.became(CheckOutcome.PASSED);
        }
    }

    private static void fail(RunSummaryCollector numbers, String name) {
        try (RunningCheck check = numbers.checkOfTracker(subject(name))) {
            found(check, leak(BufferType.DRAM, 4_096));
        }
    }

    private static void found(RunningCheck check, LeakVerdict verdict) {
        check.found(verdict, SurvivorFinding.of(verdict, Optional.empty()));
    }

    private static CheckSubject subject(String name) {
        return new CheckSubject(CheckSubject.Kind.TEST, name, "mvn test -Dtest=" + name);
    }

    private static String text(RunSummaryCollector numbers) {
        return numbers.text(List.of(), List.of(), Optional.empty()).orElseThrow();
    }

    /** A lease of a source, where Arrow, of which nothing is allocated, is attached too. */
    private static LeakVerdict leakOf(SourceDescription source) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.sourceAttached(SourceDescription.of("arrow").speaking(SourceVocabulary.of("Arrow memory")));
        tracker.sourceAttached(source);
        tracker.lease(
                AllocationDetails.user().fromSource(source.name()), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 64);
        return LeakCheck.create().examine(tracker.history());
    }

    /** A buffer on each of two devices. */
    private static LeakVerdict leak(BufferType type, long bytes) {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        for (int device = 0; device < 2; device++) {
            tracker.allocated(tracker.request(AllocationDetails.user()), device, type, 65_536, bytes, Ownership.OWNING);
        }
        return LeakCheck.create().examine(tracker.history());
    }
}
