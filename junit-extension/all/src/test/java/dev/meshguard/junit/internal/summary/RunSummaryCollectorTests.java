package dev.meshguard.junit.internal.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.junit.testkit.Latches;
import dev.meshguard.junit.testkit.Survivors;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;

/** The numbers of a run are those of its checks. */
class RunSummaryCollectorTests {

    @Test
    void aLauncherWithoutListenersIsNamedWithoutAnyCheck() {
        RunSummaryCollector numbers = numbers();

        numbers.addUntracked(0, true);

        assertThat(text(numbers)).isEqualTo("""
                        MeshGuard  0 tests tracked · 0 buffers
                           not tracked       the launcher called no listener: tests without @TrackAllocations were recognized by stacks\
                         only""");
    }

    @Test
    void memoryOfNoDeviceHasTheNameThatItsSourcesGiveIt() {
        RunSummaryCollector numbers = numbers();

        held(numbers, "A#onAMesh", leak(BufferType.DRAM, 4_096));
        held(numbers, "B#decodes", leakOf(SourceDescription.of("netty").speaking(SourceVocabulary.of("Netty memory"))));
        held(numbers, "C#maps", leakOf(SourceDescription.of("mapped files")));

        assertThat(text(numbers)).isEqualTo("""
                        MeshGuard  3 tests tracked · 4 buffers · all checks held
                           peak of a device  DRAM 4 KiB (4096 B) in A#onAMesh
                           peak              Netty memory 64 B in B#decodes
                                             memory of no device 64 B in C#maps""");
    }

    @Test
    void theFirstCommandsAreListedAndTheOthersCounted() {
        RunSummaryCollector numbers = numbers();
        for (int number = 10; number < 22; number++) {
            fail(numbers, "A#t" + number, leak(BufferType.DRAM, 4_096));
        }

        assertThat(text(numbers)).endsWith("mvn test -Dtest=A#t19\n" + " ".repeat(21) + "… and 2 more");
    }

    @Test
    void namesFailuresWithTheirTestsAndWhereTheOthersAre() {
        RunSummaryCollector numbers = numbers();
        for (int number = 10; number < 22; number++) {
            String line = "BUDGET  the limit   pages/t" + number + ".html";
            numbers.add(result("A#t" + number, CheckOutcome.FAILED, Optional.empty(), Optional.of(line)));
        }

        assertThat(text(numbers)).contains("… and 2 more, all in the report of the tests");

        assertThat(numbers.text(0, List.of(), Optional.empty(), Optional.of("pages/index.html"))
                        .orElseThrow())
                .contains(
                        "\n   failures          A#t10: BUDGET  the limit   pages/t10.html\n",
                        "… and 2 more, all on pages/index.html")
                .doesNotContain("A#t20:");
    }

    @Test
    void countsAllChecksOfTestsThatEndAtTheSameTime() {
        RunSummaryCollector numbers = numbers();
        FinishedCheck check = result("A#ends", CheckOutcome.ABORTED, Optional.empty(), Optional.empty());

        Latches.together(4, thread -> {
            for (int number = 0; number < 500_000; number++) {
                numbers.add(check);
            }
        });

        assertThat(text(numbers))
                .isEqualTo("MeshGuard  2000000 tests tracked · 0 buffers · 2000000 aborted with findings");
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

        numbers.add(result("A#reads", CheckOutcome.PASSED, Optional.of(verdict), Optional.empty()));

        assertThat(isLocked).isNotEmpty().containsOnly(false);
    }

    private static RunSummaryCollector numbers() {
        return new RunSummaryCollector(OutputMode.ALWAYS);
    }

    private static void held(RunSummaryCollector numbers, String name, LeakVerdict verdict) {
        numbers.add(result(name, CheckOutcome.PASSED, Optional.of(verdict), Optional.empty()));
    }

    private static void fail(RunSummaryCollector numbers, String name, LeakVerdict verdict) {
        numbers.add(result(name, CheckOutcome.FAILED, Optional.of(verdict), Optional.empty()));
    }

    private static FinishedCheck result(
            String name, CheckOutcome outcome, Optional<LeakVerdict> verdict, Optional<String> failure) {
        return new FinishedCheck(
                Optional.of(CheckSubject.TEST),
                name,
                outcome,
                verdict,
                verdict.map(one -> SurvivorFinding.of(one, Optional.empty())).orElse(List.of()),
                failure,
                outcome == CheckOutcome.FAILED ? Optional.of("mvn test -Dtest=" + name) : Optional.empty());
    }

    private static String text(RunSummaryCollector numbers) {
        return numbers.text(0, List.of(), Optional.empty(), Optional.empty()).orElseThrow();
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
        return LeakCheck.create().examine(Survivors.on(2, type, bytes, "of two devices"));
    }
}
