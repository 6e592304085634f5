package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;
import static dev.meshguard.verdict.SurvivorStatus.UNDECIDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.Owner;
import dev.meshguard.tracker.script.HistoryScript;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A free that arrives before the report of its allocation leaves a buffer in the ledger that may be gone. */
class OutOfOrderTests {

    private static HistoryScript allocated(HistoryScript script, Owner owner) {
        return script.allocate(DRAM, device(0), 0x1000, 64).onMesh(0).extent(64).ownedBy(owner);
    }

    private static HistoryScript freed(HistoryScript script, Owner owner) {
        return script.free(DRAM, device(0), 0x1000).onMesh(0).extent(64).ownedBy(owner);
    }

    private static HistoryScript onAMesh() {
        return history().mesh(0, 0);
    }

    @Test
    void isInferredFromAFreeOfNothing() {
        var history = allocated(freed(onAMesh(), program(1)), program(1)).closed();

        LeakVerdict verdict = judged(history)
                .hasOnly(UNEXPLAINED, UNDECIDED)
                .because(
                        "no free was reported",
                        "a free that fits it came at {freed}, before it was reported ({allocated})")
                .verdict();

        assertThat(verdict.inconclusiveReasonTexts())
                .containsExactly("1 buffer was freed before it was reported, the first DRAM 0x1000 (4096) on device 0,"
                        + " generation 1, so reports are out of order and what became of the memory is not known.");
    }

    @Test
    void isInferredFromAFreeOfWhatAnotherOwnerHas() {
        var history = allocated(
                        freed(allocated(onAMesh(), program(1)), program(2))
                                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000),
                        program(2))
                .closed();

        LeakVerdict verdict = judged(history).hasOnly(UNEXPLAINED, UNDECIDED).verdict();
        assertThat(verdict.survivors().get(0).diagnosis().evidence())
                .anySatisfy(fact -> assertThat(fact.text())
                        .isEqualTo("a free that fits it came at event #4, before it was reported (event #6)"));
    }

    private static HistoryScript viewFreedBeforeItsReport() {
        HistoryScript buffer = ofMesh(history().mesh(0, 0).allocate(DRAM, device(0), 0x1000, 64));
        HistoryScript freedView = ofMesh(buffer.free(DRAM, device(0), 0x1000)).asView();
        return ofMesh(freedView.allocate(DRAM, device(0), 0x1000, 64)).asView();
    }

    @Test
    void leavesNothingIfTheFreeOfAViewComesBeforeItsReport() {
        var history =
                ofMesh(viewFreedBeforeItsReport().free(DRAM, device(0), 0x1000)).closed();

        judged(history).hasOutcome(Outcome.LEAK_FREE);
        assertThat(history.anomalies()).isEmpty();
    }

    @Test
    void leavesTheBufferIfItsViewIsFreedTwice() {
        var history = ofMesh(viewFreedBeforeItsReport().free(DRAM, device(0), 0x1000))
                .asView()
                .closed();

        judged(history).hasOutcome(Outcome.LEAKED);
    }

    @Stories("""
            is undecided if the free names an owner without buffers at the address
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 1;
                free DRAM 0x1000 on 0, mesh 0, extent 64, of program 2; close
                = UNEXPLAINED UNDECIDED
                because no free was reported
                because the free of {freed} names program 2, which had no buffer at the address
            is not inferred from a free by its owner of what that owner had
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 1;
                free DRAM 0x1000 on 0, mesh 0, extent 64, of program 1;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 1; close
                = UNEXPLAINED LEAKED
            is not inferred from a free in the name of a third owner
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 1;
                free DRAM 0x1000 on 0, mesh 0, extent 64, of program 3;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 2; close
                = UNEXPLAINED LEAKED
            is not inferred from a later free
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 2;
                allocate DRAM 0x1000 on 0, mesh 0, extent 64, of program 1;
                free DRAM 0x1000 on 0, mesh 0, extent 64, of program 3; close
                = UNEXPLAINED LEAKED
            are undecided where a free fits two buffers of an unknown allocator of the mesh
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0; allocate DRAM 0x1000 on 0, owning, mesh 0;
                free DRAM 0x1000 on 0, owning, mesh 0; close
                = UNEXPLAINED UNDECIDED
                inconclusive The reports of 1 buffer fit a leak as well as freed memory; the first is DRAM 0x1000 (4096)
                    on device 0, generation 1. A reading of the allocators when the close begins would decide it.
            are decided where the free is of a view
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0; allocate DRAM 0x1000 on 0, view, mesh 0;
                allocate DRAM 0x1000 on 0, view, mesh 0; free DRAM 0x1000 on 0, view, mesh 0; close
                = UNEXPLAINED LEAKED
            give a late free to the later buffer where the earlier one was reported twice and freed once
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, allocator MESH, again UNKNOWN;
                free DRAM 0x1000 on 0, mesh 0, allocator MESH; allocate DRAM 0x1000 on 0, mesh 0, allocator MESH; close;
                free DRAM 0x1000 on 0, mesh 0, allocator MESH
                = causes REPORTED_TWICE LATE
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    private static HistoryScript freedOnceAfterReuse(UnaryOperator<HistoryScript> second) {
        HistoryScript first = history().mesh(0, 0).allocate(DRAM, device(0), 0x1000, 64);
        HistoryScript both = second.apply(ofMesh(first).allocate(DRAM, device(0), 0x1000, 64));
        return ofMesh(ofMesh(both).free(DRAM, device(0), 0x1000));
    }

    private static HistoryScript ofMesh(HistoryScript report) {
        return report.owning().onMesh(0).extent(64).fromAllocator(AllocatorId.MESH);
    }

    @Test
    void areUndecidedWhereALateFreeMayBeOfTheBufferThatTookTheAddressNext() {
        HistoryScript early = ofMesh(history().mesh(0, 0).free(DRAM, device(0), 0x1000));
        HistoryScript first = ofMesh(early.allocate(DRAM, device(0), 0x1000, 64));
        HistoryScript second = ofMesh(first.allocate(DRAM, device(0), 0x1000, 64));
        HistoryScript late =
                second.witness(CLOSE_BEGUN, DRAM, device(0), 0x1000).close();

        judged(ofMesh(late.free(DRAM, device(0), 0x1000)).recorded()).hasStandings(UNDECIDED, UNDECIDED);
    }

    @Test
    void areUndecidedWhereAFreeFitsTwoBuffersOfOneAddress() {
        judged(freedOnceAfterReuse(second -> second).closed())
                .hasOutcome(Outcome.INCONCLUSIVE)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED)
                .because(
                        "no free was reported",
                        "the free of {freed} fits it as well as what {allocated 1} reported at its address before: one free is"
                                + " missing, and no snapshot shows of which")
                .inconclusiveReasons(
                        "The reports of 1 buffer fit a leak as well as freed memory; the first is DRAM 0x1000 (4096)"
                                + " on device 0, generation 2. A reading of the allocators when the close begins would decide it.");
    }

    @Test
    void areALeakWhereTheMeshReservedTheAddressOnceMoreAfterTheFreeThatFitsTwo() {
        HistoryScript script = history().mesh(0, 0);
        script.allocate(DRAM, device(0), 0x1000, 64).owning().onMesh(0);
        script.allocate(DRAM, device(0), 0x1000, 64).owning().onMesh(0);
        script.free(DRAM, device(0), 0x1000).owning().onMesh(0);
        script.allocate(DRAM, device(0), 0x1000, 64).owning().onMesh(0);

        judged(script.closed()).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void areDecidedByAWitnessWhereAFreeFitsTwoBuffers() {
        judged(freedOnceAfterReuse(second -> second)
                        .witness(CLOSE_BEGUN, DRAM, device(0))
                        .closed())
                .hasOnly(Cause.FREE_UNREPORTED, SurvivorStatus.MISREPORTED);
        judged(freedOnceAfterReuse(second -> second)
                        .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                        .closed())
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void areUndecidedWhereTheWitnessMayListABufferOfAnotherAllocator() {
        HistoryScript others = freedOnceAfterReuse(second -> second)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .fromAllocator(AllocatorId.DEVICE);

        judged(others.witness(CLOSE_BEGUN, DRAM, device(0), 0x1000).closed()).hasStandings(UNDECIDED, LEAKED);
    }

    @Test
    void areDecidedByTheOwnerThatAFreeNames() {
        judged(freedOnceAfterReuse(second -> second.ownedBy(program(7))).closed())
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @ParameterizedTest
    @CsvSource({"0, SUB_DEVICE", "1, MESH"})
    void areDecidedForABufferOfAnotherAllocatorAtTheAddress(int mesh, AllocatorId.Kind kind) {
        HistoryScript first = ofMesh(history().mesh(0, 0).submesh(1, 0, 0).allocate(DRAM, device(0), 0x1000, 64));
        HistoryScript second = ofMesh(first.allocate(DRAM, device(0), 0x1000, 64));
        HistoryScript other = ofMesh(second.allocate(DRAM, device(0), 0x1000, 64))
                .onMesh(mesh)
                .fromAllocator(new AllocatorId(kind, 0, 0));

        judged(ofMesh(other.free(DRAM, device(0), 0x1000)).closed()).hasStandings(UNDECIDED, LEAKED);
    }

    @Test
    void areDecidedForABufferFromBeforeTheMeshWasOpenedAgain() {
        HistoryScript leak = ofMesh(history().mesh(0, 0).allocate(DRAM, device(0), 0x1000, 64))
                .close();
        HistoryScript first = ofMesh(leak.mesh(0, 0).allocate(DRAM, device(0), 0x1000, 64));
        HistoryScript second = ofMesh(first.allocate(DRAM, device(0), 0x1000, 64));
        HistoryScript bothFreed =
                ofMesh(ofMesh(second.free(DRAM, device(0), 0x1000)).free(DRAM, device(0), 0x1000));

        judged(bothFreed.closed()).hasStandings(LEAKED);
    }

    @Test
    void areDecidedWhereTheFirstBufferWasFreedBefore() {
        HistoryScript one = ofMesh(history().mesh(0, 0).allocate(DRAM, device(0), 0x1000, 64));
        HistoryScript freed = ofMesh(one.free(DRAM, device(0), 0x1000));

        judged(ofMesh(freed.allocate(DRAM, device(0), 0x1000, 64)).closed())
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }
}
