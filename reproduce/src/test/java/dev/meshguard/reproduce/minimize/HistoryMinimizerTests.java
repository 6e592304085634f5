package dev.meshguard.reproduce.minimize;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOfLiveBuffers;
import static dev.meshguard.tracker.script.HistoryScript.historyWithoutOrigins;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineComparison;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryMinimizerTests {

    @Test
    void omitsFreedBuffers() {
        HistoryScript run = historyWithoutOrigins();
        for (int buffer = 0; buffer < 100; buffer++) {
            run.allocate(DRAM, device(buffer % 8), 0x1000L * buffer, 64);
        }
        for (int buffer = 0; buffer < 100; buffer++) {
            if (buffer != 42) {
                run.free(DRAM, device(buffer % 8), 0x1000L * buffer);
            }
        }

        MinimizedHistory least = HistoryMinimizer.create().minimize(run.recorded());

        assertThat(lines(least)).containsExactly("#1 allocated DRAM 0x2a000 (172032) on device 2, 64 B");
        assertThat(least)
                .hasToString("199 events, 100 buffers, 8 devices -> 1 event, 1 buffer, 1 device, found with "
                        + least.checks() + " checks");
    }

    @Test
    void leavesOneOfManyThatAreLeftForTheSameReason() {
        AllocationHistory run = historyWithoutOrigins()
                .allocateOneByOne(DRAM, devices(0, 7), 0x1000, 64)
                .allocateOneByOne(L1, devices(0, 7), 0x2000, 64)
                .recorded();

        assertThat(lines(HistoryMinimizer.create().minimize(run)))
                .containsExactly("#1 allocated DRAM 0x1000 (4096) on device 0, 64 B");
    }

    @Test
    void keepsASecondCause() {
        AllocationHistory run = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(Reachability.held())
                .allocate(DRAM, device(0), 0x2000, 64)
                .traced(Reachability.lost())
                .recorded();

        MinimizedHistory least = HistoryMinimizer.create().minimize(run);

        assertThat(least.remaining().causes()).containsExactly(Cause.HELD, Cause.LOST);
    }

    @Test
    void leavesOutASecondCauseIfOneIsAskedFor() {
        AllocationHistory run = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .traced(Reachability.held())
                .allocate(DRAM, device(0), 0x2000, 64)
                .traced(Reachability.lost())
                .free(DRAM, device(1), 0x3000)
                .recorded();

        MinimizedHistory least = HistoryMinimizer.create().about(Cause.LOST).minimize(run);

        assertThat(least.finding()).hasToString("LEAKED: HELD, LOST; free of an unknown address");
        assertThat(least.remaining()).hasToString("LEAKED: LOST");
        assertThat(least.after()).hasToString("2 events, 1 buffer, 1 device");
    }

    @Test
    void keepsTheSiblingsThatACauseRestsOn() {
        AllocationHistory run = history()
                .allocate(DRAM, devices(0, 7), 0x1000, 64)
                .free(DRAM, devices(0, 2), 0x1000)
                .free(DRAM, devices(4, 7), 0x1000)
                .recorded();

        MinimizedHistory least = HistoryMinimizer.create().minimize(run);

        assertThat(least.remaining()).hasToString("LEAKED: FREED_ON_OTHER_DEVICES");
        assertThat(least.after()).hasToString("5 events, 3 buffers, 3 devices");
    }

    @Test
    void keepsTheReadingThatACauseRestsOnAndTakesTheOthersFromIt() {
        AllocationHistory run = history()
                .mesh(0, 0, 1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, devices(0, 1), 0x2000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .witness(Moment.CLOSE_BEGUN, DRAM, devices(0, 1), 0x2000)
                .free(DRAM, devices(0, 1), 0x2000)
                .lifetime(BufferLifetime.SYSTEM)
                .close()
                .recorded();

        MinimizedHistory least = HistoryMinimizer.create().minimize(run);

        assertThat(least.remaining()).hasToString("MISREPORTED: FREE_UNREPORTED");
        assertThat(least.history().witnessSnapshots().get(0).snapshot().allocatedAddresses(0, DRAM))
                .isEmpty();
        assertThat(least.after()).hasToString("2 events, 1 buffer, 1 device");
    }

    @Test
    void keepsAFreeTooMany() {
        AllocationHistory run = historyWithoutOrigins()
                .allocate(DRAM, device(3), 0x1000, 64)
                .allocate(DRAM, device(3), 0x2000, 64)
                .free(DRAM, device(3), 0x1000)
                .free(DRAM, device(3), 0x1000)
                .free(DRAM, device(3), 0x2000)
                .recorded();

        assertThat(lines(HistoryMinimizer.create().minimize(run)))
                .containsExactly(
                        "#1 allocated DRAM 0x1000 (4096) on device 3, 64 B",
                        "#2 freed DRAM 0x1000 (4096) on device 3",
                        "#3 freed DRAM 0x1000 (4096) on device 3");
    }

    @Test
    void leavesOutAReportOfALifeThatDoesWithout() {
        AllocationHistory run = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(HistoryScript.program(7))
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(HistoryScript.program(7))
                .recorded();

        assertThat(lines(HistoryMinimizer.create().minimize(run))).hasSize(1);
    }

    @Test
    void makesSizesEvenAndKeepsTheFingerprint() {
        AllocationHistory run = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x1000, 968_704)
                .recorded();

        MinimizedHistory least = HistoryMinimizer.create().minimize(run);

        assertThat(lines(least)).containsExactly("#1 allocated DRAM 0x1000 (4096) on device 0, 1 MiB (1048576 B)");
        Baseline known = Baseline.of(LeakCheck.create().examine(run));
        LeakVerdict verdict = LeakCheck.create().examine(least.history());
        assertThat(BaselineComparison.of(known, verdict).covers(verdict)).isTrue();
    }

    @Test
    void keepsWhyItCannotBeKnownWhereThatIsTheFinding() {
        AllocationHistory run = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x1000, 64)
                .lost(3, "the queue was full")
                .free(DRAM, device(0), 0x1000)
                .recorded();

        MinimizedHistory least = HistoryMinimizer.create().minimize(run);

        assertThat(least.remaining()).hasToString("INCONCLUSIVE: REPORTS_LOST");
        assertThat(least.history().events()).containsExactly(new HistoryEvent.ReportsLost(1, 3, "the queue was full"));
    }

    @Test
    void judgesByTheGivenCheck() {
        AllocationHistory run = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(L1, device(0), 0x2000, 64)
                .recorded();
        ExpectedBuffers expected =
                ExpectedBuffers.of(Expectation.because("weights stay").type(DRAM));

        MinimizedHistory least = HistoryMinimizer.create()
                .judgedBy(LeakCheck.create().expecting(expected))
                .minimize(run);

        assertThat(lines(least)).containsExactly("#1 allocated L1 0x2000 (8192) on device 0, 64 B");
    }

    @Test
    void stopsAtItsBoundWithTheLeastThatItHas() {
        AllocationHistory run = history()
                .allocate(DRAM, devices(0, 7), 0x1000, 64)
                .free(DRAM, devices(0, 6), 0x1000)
                .recorded();

        MinimizedHistory least = HistoryMinimizer.create().withMaxChecks(3).minimize(run);

        assertThat(least.checks()).isEqualTo(3);
        assertThat(least.stoppedEarly()).isTrue();
        assertThat(least.toString()).endsWith("found with 3 checks, and stopped there: less might do");
        assertThat(least.finding().isKeptBy(least.remaining())).isTrue();
    }

    @Test
    void findsTheSameEachTime() {
        AllocationHistory run = history()
                .allocate(DRAM, devices(0, 7), 0x1000, 4096)
                .allocate(L1, devices(0, 7), 0x1000, 4096)
                .free(DRAM, devices(0, 6), 0x1000)
                .recorded();

        MinimizedHistory first = HistoryMinimizer.create().minimize(run);
        MinimizedHistory second = HistoryMinimizer.create().minimize(run);

        assertThat(lines(second)).isEqualTo(lines(first));
        assertThat(second.checks()).isEqualTo(first.checks());
    }

    @Test
    void copesWithALongHistory() {
        int pairs = Integer.getInteger("meshguard.pairs", 100_000);
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        for (int buffer = 0; buffer < pairs; buffer++) {
            tracker.allocated(buffer % 8, DRAM, 0x1000L * buffer, 64);
            if (buffer % 20_000 != 7) {
                tracker.freed(buffer % 8, DRAM, 0x1000L * buffer);
            }
        }

        MinimizedHistory least = HistoryMinimizer.create().minimize(tracker.history());

        assertThat(least.before())
                .hasToString((2 * pairs - pairs / 20_000) + " events, " + pairs + " buffers, 8 devices");
        assertThat(least.after()).hasToString("1 event, 1 buffer, 1 device");
        assertThat(least.checks()).isLessThan(100);
    }

    @Test
    void rejectsACleanHistory() {
        AllocationHistory run = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> HistoryMinimizer.create().minimize(run))
                .withMessage(
                        "Nothing is wrong with this history (LEAK_FREE), so there is nothing to minimize. Give one whose"
                                + " verdict fails.");
    }

    @Test
    void rejectsACauseThatDoesNotOccur() {
        AllocationHistory run = history().allocate(DRAM, device(0), 0x1000, 64).recorded();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> HistoryMinimizer.create().about(Cause.HELD).minimize(run))
                .withMessage(
                        "No buffer of this history remains because of HELD. What is wrong is LEAKED: UNEXPLAINED.");
    }

    @Test
    void rejectsAHistoryWithoutAPast() {
        AllocationHistory run =
                historyOfLiveBuffers().allocate(DRAM, device(0), 0x1000, 64).recorded();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> HistoryMinimizer.create().minimize(run))
                .withMessage(
                        "This history holds only what was still allocated and sums, so nothing can be removed from it."
                                + " Record it with Retention.ALL.");
    }

    private static List<String> lines(MinimizedHistory least) {
        return least.history().events().stream().map(Object::toString).toList();
    }
}
