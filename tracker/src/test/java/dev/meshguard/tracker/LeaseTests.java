package dev.meshguard.tracker;

import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static dev.meshguard.event.HistoryEvent.NO_DEVICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.PhaseUsage;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.budget.BudgetViolation;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.MemoryGrowth;
import dev.meshguard.verdict.growth.Trend;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that a lease identifies, and not its address. */
class LeaseTests {

    private static final OriginFilter CALLERS = OriginFilter.none();

    private final AllocationTracker tracker = AllocationTracker.create();

    private Lease lease(long bytes) {
        return tracker.lease(AllocationDetails.user(), CALLERS, SYSTEM_MEMORY, bytes);
    }

    private LeakVerdict verdict() {
        return LeakCheck.create().examine(tracker.history());
    }

    @Test
    void growsInTheRoundInWhichItIsResized() {
        Lease[] lease = new Lease[1];
        tracker.rounds(4, round -> {
            if (round == 1) {
                lease[0] = lease(100);
            } else {
                lease[0].resized(90 + 10L * round);
            }
        });

        MemoryGrowth growth = Accumulation.of(tracker.history()).memory().get(0);

        assertThat(growth.amounts().trend()).isEqualTo(Trend.GROWING);
        assertThat(growth.amounts()).hasToString("[100, 10, 10, 10]");
    }

    /** A was open, B came and went, A grew: never were both large. */
    @Test
    void countsForAPeakWithTheSizeThatItHadThen() {
        Lease first = lease(0);
        lease(1_000).freed();
        first.resized(1_000);
        first.resized(10);
        first.freed();

        assertThat(budgetOf(999).violations())
                .singleElement()
                .isInstanceOfSatisfying(
                        BudgetViolation.Exceeded.class,
                        violation -> assertThat(violation.found()).isEqualTo(1_000));
        assertThat(budgetOf(1_000).isMet()).isTrue();
    }

    @Test
    void usesMemoryInThePhaseInWhichItIsResized() {
        Lease lease;
        try (Scope setup = tracker.phase(Phase.SETUP)) {
            lease = lease(100);
        }
        try (Scope test = tracker.phase(Phase.TEST)) {
            lease.resized(5_000);
            lease.resized(40);
        }

        assertThat(verdict().phaseUsages())
                .contains(new PhaseUsage(Phase.SETUP, 100, 100), new PhaseUsage(Phase.TEST, 40, 5_000));
    }

    @Test
    void holdsNoMemoryBeyondTheEndThatIsAskedFor() {
        Lease lease = lease(100);
        lease.resized(200);
        lease(1);
        lease.resized(300);

        List<BufferGeneration.HoldInterval> held =
                tracker.history().generations().get(0).holdIntervals(3);

        assertThat(held)
                .extracting(BufferGeneration.HoldInterval::size, BufferGeneration.HoldInterval::until)
                .containsExactly(tuple(100L, 2L), tuple(200L, 3L));
    }

    private BudgetVerdict budgetOf(long peak) {
        return BudgetVerdict.of(verdict(), List.of(BudgetSpec.of(SYSTEM_MEMORY).peakBytes(peak)), List.of());
    }

    @Test
    void hasItsSizeAndTheCallThatFailedAlsoInThePartOfItsContext() {
        lease(64).resized(128);
        AllocationContext context = tracker.context("test");
        Lease lease;
        try (Scope current = context.makeCurrent()) {
            lease = lease(0);
        }
        lease.resized(4096);
        lease.freeFailed(new IllegalStateException("in use"));

        AllocationHistory part = tracker.history().partOf(context);

        assertThat(part.live())
                .singleElement()
                .satisfies(buffer -> assertThat(buffer.size()).isEqualTo(4096));
        assertThat(LeakCheck.create()
                        .examine(part)
                        .survivors()
                        .get(0)
                        .diagnosis()
                        .evidence())
                .extracting(Evidence::text)
                .anyMatch(text -> text.contains("IllegalStateException: in use"));
    }

    /** Such a report has no number of its own that would order it. */
    @Test
    void followsTheMarkersBeforeItAlsoWithoutOrigins() {
        AllocationTracker plain =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

        plain.rounds(2, round -> plain.lease(AllocationDetails.user(), CALLERS, SYSTEM_MEMORY, 64));

        assertThat(plain.history().events())
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("RoundBegan", "Allocated", "RoundEnded", "RoundBegan", "Allocated", "RoundEnded");
    }

    @Test
    void hasANumberAndNoInventedAddressInTexts() {
        Lease lease = lease(64);
        lease.freeFailed(new IllegalStateException("not the owner"));
        lease.freed();
        lease.freed();

        assertThat(tracker.history().events())
                .extracting(HistoryEvent::toString)
                .containsExactly(
                        "#1 allocated SYSTEM_MEMORY number 1 of no device, 64 B",
                        "#2 free of SYSTEM_MEMORY number 1 of no device ignored, because the call failed",
                        "#3 freed SYSTEM_MEMORY number 1 of no device",
                        "#4 freed SYSTEM_MEMORY number 1 of no device");
        assertThat(tracker.history().generations()).singleElement().hasToString("SYSTEM_MEMORY number 1 of no device");
        assertThat(tracker.history().anomalies()).extracting(Anomaly::kind).containsExactly(Anomaly.Kind.DOUBLE_FREE);
    }

    @Test
    void staysAllocatedIfItsFreeFails() {
        lease(64).freeFailed(new IllegalStateException("not the owner"));

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict().survivors().get(0).diagnosis().evidence())
                .extracting(Evidence::text)
                .anySatisfy(text -> assertThat(text)
                        .startsWith("a call that should free it failed at event #2 with"
                                + " java.lang.IllegalStateException: not the owner, at ")
                        .contains("staysAllocatedIfItsFreeFails"));
    }

    @Test
    void staysFreedIfItsSizeChangesAfterwards() {
        Lease lease = lease(64);
        lease.freed();

        lease.resized(128);

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(tracker.liveBytes()).isZero();
    }

    @Test
    void acceptsAnErrorWithoutAText() {
        lease(64).freeFailed(new IllegalStateException() {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new UnsupportedOperationException();
            }
        });

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAKED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isInNoHistoryOnceItWasWithdrawn(boolean isFreed) {
        lease(64).freed();
        AllocationContext context = tracker.context("test");
        Lease lease;
        try (Scope current = context.makeCurrent()) {
            lease = lease(1_000);
        }
        MemoryRequest request = tracker.history().live().get(0).request();
        tracker.traced(request, Reachability.unknown());
        lease.freeFailed(new IllegalStateException("not opened"));
        if (isFreed) {
            lease.freed();
        }
        AllocationHistory before = tracker.history();

        lease.withdrawn();
        lease(32);

        LeakVerdict verdict = verdict();
        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(2, 1, 0, 1, 0, 0, 0));
        assertThat(tracker.history().ledgerAgrees()).isTrue();
        assertThat(tracker.history().anomalies()).isEmpty();
        assertThat(tracker.history().events())
                .noneMatch(event ->
                        HistoryEvent.requestOf(event).filter(request::equals).isPresent());
        assertThat(budgetOf(64).isMet()).isTrue();
        assertThat(context.mayHaveSurvivors()).isFalse();
        assertThat(tracker.liveBytes()).isEqualTo(32);
        assertThat(before.allocatedBuffers()).isEqualTo(2);
    }

    @Test
    void hasOneBoundedLineOfTheTextOfAnError() {
        lease(64).freeFailed(new IllegalStateException("in use\n".repeat(1000)));

        assertThat(verdict().survivors().get(0).diagnosis().evidence())
                .extracting(Evidence::text)
                .anySatisfy(
                        text -> assertThat(text).contains("in use\\u000ain use").hasSizeLessThan(1000))
                .noneMatch(text -> text.contains("\n"));
    }

    @Test
    void thatIsFreedAfterAFailureIsNoLeak() {
        Lease lease = lease(64);
        lease.freeFailed(new IllegalStateException("in use"));

        lease.freed();

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void countsOnceHoweverOftenItsSizeChanges() {
        AllocationTracker sized = AllocationTracker.create();
        Lease lease = sized.lease(AllocationDetails.user(), CALLERS, SYSTEM_MEMORY, 64);

        lease.resized(4096);
        lease.resized(128);

        assertThat(sized.liveBytes(NO_DEVICE, SYSTEM_MEMORY)).isEqualTo(128);
        assertThat(sized.liveBuffers()).isEqualTo(1);
        assertThat(sized.history().timeline().curve(any -> true).peakBytes()).isEqualTo(4096);
        assertThat(sized.history().live())
                .singleElement()
                .satisfies(buffer -> assertThat(buffer.size()).isEqualTo(128));
        lease.freed();
        assertThat(sized.liveBytes()).isZero();
        assertThat(sized.history().anomalies()).isEmpty();
        assertThat(LeakCheck.create().examine(sized.history()).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void hasItsLastSizeUnderEachPolicy() {
        lease(64).resized(4096);

        for (CountingPolicy policy : List.of(
                CountingPolicy.REFERENCE_COUNTED, CountingPolicy.EVERY_REPORT, CountingPolicy.ONCE_PER_ADDRESS)) {
            assertThat(tracker.history().ledger(policy).bytes(NO_DEVICE, SYSTEM_MEMORY))
                    .isEqualTo(4096);
            assertThat(tracker.history().ledger(policy).reports(NO_DEVICE)).isEqualTo(1);
        }
    }

    @Test
    void keepsItsSizeWhenItsHistoryIsRestored() {
        lease(64).resized(4096);
        AllocationHistory history = tracker.history();

        AllocationHistory again = AllocationHistory.of(
                history.events(), OptionalLong.of(history.ledgerEntries()), history.hasFlatAddresses());

        assertThat(again.live())
                .singleElement()
                .satisfies(buffer -> assertThat(buffer.size()).isEqualTo(4096));
        assertThat(again.anomalies()).isEmpty();
    }

    /** Its lease is made when the class is first used. */
    private static final class OfAClass {

        static final AllocationTracker TRACKER = AllocationTracker.create();
        static final Lease LEASE = TRACKER.lease(AllocationDetails.user(), CALLERS, SYSTEM_MEMORY, 64);
    }

    @Test
    void isExpectedIfAStaticInitializerAllocatedIt() {
        assertThat(OfAClass.LEASE).isNotNull();

        LeakVerdict verdict = LeakCheck.create().examine(OfAClass.TRACKER.history());

        assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(verdict.survivors().get(0).diagnosis().evidence())
                .extracting(Evidence::text)
                .containsExactly(
                        "the static initializer of dev.meshguard.tracker.LeaseTests$OfAClass allocated it, so it"
                                + " lasts as long as the class");
    }

    @Test
    void hasAnUnknownSizeIfItIsZero() {
        lease(0);

        assertThat(tracker.history().live())
                .allMatch(BufferGeneration::isOfUnknownSize)
                .hasSize(1);
    }

    @Test
    void isNotTheMemoryOfAMeshThatCloses() {
        tracker.meshOpened(new MeshDescription(0, "1x1 mesh", List.of(0), 0));
        tracker.deviceOpened(0);
        Lease lease = lease(64);
        tracker.meshClosing(0);
        tracker.meshClosed(0);
        tracker.deviceClosed(0);

        lease.freed();

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(tracker.history().anomalies()).isEmpty();
    }

    /** A pool hands an address on before the free of its last user is reported. Addresses then make one buffer of two. */
    @Test
    void isNotMistakenForAnotherOneWithItsAddress() {
        tracker.allocated(0, SYSTEM_MEMORY, 0x1000, 64);
        tracker.allocated(0, SYSTEM_MEMORY, 0x1000, 64);
        tracker.freed(0, SYSTEM_MEMORY, 0x1000);
        tracker.freed(0, SYSTEM_MEMORY, 0x1000);
        assertThat(tracker.history().allocatedBuffers()).isEqualTo(1);

        Lease first = lease(64);
        Lease second = lease(64);
        first.freed();

        assertThat(tracker.history().live()).hasSize(1);
        assertThat(tracker.history().allocatedBuffers()).isEqualTo(3);
        second.freed();
        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @ParameterizedTest
    @EnumSource(OriginCapture.class)
    void itsHandleCountsWhateverOriginsAreCaptured(OriginCapture capture) {
        AllocationTracker other =
                AllocationTracker.builder().originCapture(capture).build();
        Object handle = new Object();
        other.lease(AllocationDetails.user(), CALLERS, SYSTEM_MEMORY, 64).handedOut(handle);
        MemoryRequest request = other.history().live().get(0).request();
        other.traced(request, Reachability.held());

        assertThat(request.handle().orElseThrow().get()).isSameAs(handle);
        assertThat(LeakCheck.create().examine(other.history()).survivors())
                .extracting(Survivor::cause)
                .containsExactly(Cause.HELD);
    }
}
