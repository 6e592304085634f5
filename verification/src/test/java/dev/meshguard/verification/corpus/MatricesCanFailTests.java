package dev.meshguard.verification.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Reachability;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verification.corpus.stage.HandleFinder;
import dev.meshguard.verification.corpus.stage.RememberedHandles;
import dev.meshguard.verification.corpus.stage.Setting;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the matrices detect a verdict that differs from the ground truth. */
class MatricesCanFailTests {

    private static final Scenario DROPPED =
            Scenario.bound("dropped", stage -> stage.drop(stage.bound("dropped", BufferType.DRAM, 0x1000, 4_096, 0)));

    @Test
    void acceptTheTruth() {
        assertThat(results(new RememberedHandles()).whole().wrongs()).isEmpty();
    }

    @Test
    void rejectAWrongCause() {
        CorpusResults results =
                results((tracker, stage) -> trace(tracker, Reachability.heldBy(List.of("Nobody.tensor"))));

        assertThat(results.whole().wrongs())
                .containsExactly("dropped: true [LOST] MISSING, told HELD:"
                        + " HELD (leaked): DRAM 0x1000 (4096) on device 0, generation 1");
        assertThat(results.whole().toString()).startsWith("""
                        Causes, whole history, one case: buffers
                        LOST {HELD 1!}
                        """);
    }

    @Test
    void rejectAnUnnamedCauseThatCanBeKnown() {
        assertThat(results(HandleFinder.none()).whole().wrongs())
                .containsExactly("dropped: true [LOST] MISSING, told UNEXPLAINED:"
                        + " UNEXPLAINED (leaked): DRAM 0x1000 (4096) on device 0, generation 1");
    }

    @Test
    void rejectAWrongCauseInAServersLogToo() {
        Scenario reusedNumber = Scenario.bound("a process that says nothing", stage -> {
            stage.drop(stage.bound("dropped", BufferType.DRAM, 0x1000, 4_096, 0));
            stage.unheardByTheTruth(() -> stage.dieBound(108_740));
        });
        CorpusResults results = CorpusResults.of(
                "one case", new CorpusCase(reusedNumber, Setting.faultless()), new RememberedHandles());

        assertThat(results.log().wrongs())
                .containsExactly("a process that says nothing: true [LOST] MISSING, told PROCESS_DIED:"
                        + " PROCESS_DIED (leaked): DRAM 0x1000 (4096) on device 0, generation 1");
    }

    private static CorpusResults results(HandleFinder finder) {
        return CorpusResults.of("one case", new CorpusCase(DROPPED, Setting.faultless()), finder);
    }

    private static void trace(AllocationTracker tracker, Reachability reachability) {
        tracker.history().live().forEach(buffer -> tracker.traced(buffer.request(), reachability));
    }
}
