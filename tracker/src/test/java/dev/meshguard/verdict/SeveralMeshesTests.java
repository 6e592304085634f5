package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.tracker.script.HistoryScript.on;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.script.HistoryScript;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A mesh, its submeshes and a second root mesh over the same devices have an allocator each, and all use the same
 * addresses. A leak is always attributed to the right mesh.
 */
class SeveralMeshesTests {

    /** Leaks are attributed to the right mesh. */
    @Nested
    class Leaks {

        @Test
        void nothingRemainsWhereEachMeshFreedItsOwn() {
            var history = parentAndSubmesh().report("""
                    free DRAM 0x1000 on 0..1, mesh 1; free DRAM 0x1000 on 0..3, mesh 0;
                    witness CLOSE_BEGUN DRAM on 0..1, mesh 1; close 1; witness CLOSE_BEGUN DRAM on 0..3; close 0
                    """).recorded();

            LeakVerdict verdict = judged(history)
                    .hasOutcome(Outcome.OVERWRITTEN)
                    .inconclusiveReasons()
                    .verdict();

            assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(6, 6, 0, 0, 0, 0, 0));
            assertThat(verdict.isLeakFree()).isTrue();
            assertThat(verdict.hasBalancedReports()).isTrue();
        }

        @Test
        void aSubmeshLeaksWhereItsParentHasABuffer() {
            var history = parentAndSubmesh().report("""
                    witness CLOSE_BEGUN DRAM on 0..1: 0x1000, mesh 1; close 1; free DRAM 0x1000 on 0..3, mesh 0;
                    witness CLOSE_BEGUN DRAM on 0..3; close 0
                    """).recorded();

            judged(history)
                    .hasOutcome(Outcome.LEAKED)
                    .inconclusiveReasons()
                    .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED)
                    .because(
                            "no free was reported",
                            "the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began ({witnessed 1})");
            assertThat(history.live()).extracting(BufferGeneration::mesh).containsOnly(OptionalInt.of(1));
        }

        @Stories("""
                a submesh leaks where its parent had a buffer
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; free DRAM 0x1000 on 0, mesh 0; mesh 1 in 0 over 0;
                    allocate DRAM 0x1000 on 0, mesh 1; witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1;
                    witness CLOSE_BEGUN DRAM on 0; close 0
                    = LEAKED, conclusive, UNEXPLAINED LEAKED, no anomalies
                    because no free was reported
                    because the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began ({witnessed 1})
                distinguishes a second root mesh from the first
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; mesh 1 without 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 0; witness CLOSE_BEGUN DRAM on 0;
                    close 0; witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1
                    = LEAKED, conclusive
                    because no free was reported
                    because the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began
                        ({last witnessed})
                a parent leaks though its submesh freed that address
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; free DRAM 0x1000 on 0..1, mesh 1; close 1;
                    witness CLOSE_BEGUN DRAM on 0..3: 0x1000; close 0
                    = LEAKED, UNEXPLAINED LEAKED, live on devices 0 1 2 3
                    because no free was reported
                    because the allocator of mesh 0 reported 0x1000 (4096) as allocated when close began ({witnessed})
                a free that names no mesh takes what fits it best
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, of program 7, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, of program 7; close
                    = live of meshes 1
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }

        @Test
        void bothLeakAtOneAddressEachWithItsOwnWitness() {
            var history = historyOf("""
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000; close 0
                    """);

            LeakVerdict verdict = judged(history)
                    .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED)
                    .inconclusiveReasons()
                    .verdict();

            assertThat(verdict.survivors())
                    .extracting(
                            survivor -> survivor.diagnosis().evidence().get(1).text())
                    .containsExactly(
                            expected(
                                    history,
                                    "the allocator of mesh 0 reported 0x1000 (4096) as allocated when close began ({witnessed 2})"),
                            expected(
                                    history,
                                    "the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began ({witnessed 1})"));
        }

        @Test
        void aFreeThatNamesNoMeshFreesTheLatestWhereNothingDistinguishesThem() {
            var history = parentAndSubmesh().free(DRAM, device(0), 0x1000).closed();

            assertThat(history.live())
                    .filteredOn(buffer -> buffer.device() == 0)
                    .extracting(BufferGeneration::mesh)
                    .containsExactly(OptionalInt.of(0));
        }
    }

    /** Freed memory of which a report is missing or doubled. */
    @Nested
    class Ledgers {

        @Stories("""
                two reports of one mesh still are
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 1, again NON_OWNING;
                    free DRAM 0x1000 on 0, owning, mesh 1; close
                    = MISREPORTED, REPORTED_TWICE MISREPORTED
                    because reported 2 times at one live address ({allocated 1, 2}), freed once
                    because the view of {last allocated} was destroyed without a report; the buffer that it looked at
                        was freed at {freed}
                only the witness of its own mesh excuses a buffer
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; free DRAM 0x1000 on 0..3, mesh 0;
                    witness CLOSE_BEGUN DRAM on 0..3; close 0; witness CLOSE_BEGUN DRAM on 0..1: 0x1000, mesh 1; close 1
                    = LEAKED, UNEXPLAINED LEAKED
                a submesh does not account for what its parent holds unreported
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 1;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000; close 0; free DRAM 0x1000 on 0, mesh 1; close 1
                    = INCONCLUSIVE
                    inconclusive When the close of mesh 0 began ({witnessed}) its allocator held 1 buffer that the
                        ledger does not, the first at DRAM 0x1000 (4096) on device 0.
                a parent does not account for what its submesh holds unreported
                    mesh 0 over 0..1; mesh 1 in 0 over 1; allocate DRAM 0x1000 on 0..1, mesh 0;
                    witness CLOSE_BEGUN DRAM on 1: 0x1000 0x2000, mesh 1; close 1; free DRAM 0x1000 on 0..1, mesh 0;
                    close 0
                    = INCONCLUSIVE
                    inconclusive When the close of mesh 1 began ({witnessed}) its allocator held 2 buffers that the
                        ledger does not, the first at DRAM 0x1000 (4096) on device 1.
                a buffer that names no mesh accounts for what either holds
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; free DRAM 0x1000 on 0; close 1;
                    witness CLOSE_BEGUN DRAM on 0; close 0
                    = LEAK_FREE, conclusive
                the runtime's own memory is judged by the wipe of its own mesh
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, lifetime SYSTEM, mesh 1;
                    witness BEFORE_WIPE DRAM on 0; witness AFTER_WIPE DRAM on 0; close 0;
                    witness BEFORE_WIPE DRAM on 0: 0x1000, mesh 1; close 1
                    = LEAKED, SYSTEM LEAKED
                the reports of two meshes are not one allocation reported twice
                    // The parent's object owns, the submesh's only points: within one mesh that would be one allocation.
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0;
                    allocate DRAM 0x1000 on 0, view, mesh 1; free DRAM 0x1000 on 0, owning, mesh 0; close
                    = LEAKED, UNEXPLAINED LEAKED
                    because no free was reported
                a report under a device that is none of its mesh's own is still that mesh's
                    // Some runtimes report memory of a whole mesh under device 0.
                    mesh 0 over 0..1; mesh 1 in 0 over 1; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; close 1; free DRAM 0x1000 on 0, mesh 0
                    = LEAKED, UNEXPLAINED LEAKED, live of meshes 1, no anomalies
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }

        @Test
        void theWitnessOfItsOwnMeshDoesExcuseItThoughAnotherHoldsThatAddress() {
            var history = parentAndSubmesh().report("""
                    witness CLOSE_BEGUN DRAM on 0..1, mesh 1; close 1; witness CLOSE_BEGUN DRAM on 0..3: 0x1000;
                    free DRAM 0x1000 on 0..3, mesh 0; close 0
                    """).recorded();

            assertThat(judged(history)
                            .hasOutcome(Outcome.FREED_LATE)
                            .verdict()
                            .survivors(survivor -> survivor.buffer().mesh().equals(OptionalInt.of(1))))
                    .hasSize(2)
                    .allSatisfy(survivor -> {
                        assertThat(survivor.status()).isEqualTo(SurvivorStatus.MISREPORTED);
                        assertThat(survivor.diagnosis().evidence().get(0).text())
                                .isEqualTo(
                                        expected(
                                                history,
                                                "the allocator of mesh 1 reported 0x1000 (4096) as free when close began ({witnessed 1})"));
                    });
        }

        @Test
        void aMeshThatFreesTwiceTakesNothingFromAnother() {
            var history = historyOf("""
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 1;
                    close
                    """);

            judged(history)
                    .hasOutcome(Outcome.LEAKED)
                    .inconclusiveReasons()
                    .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
            assertThat(history.ledgerEntries()).isOne();
            assertThat(history.anomalies())
                    .extracting(Anomaly::kind)
                    .containsExactly(Anomaly.Kind.HELD_BY_TWO_ALLOCATORS, Anomaly.Kind.DOUBLE_FREE);
            assertThat(history.anomalies().get(1).generation()).get().satisfies(holder -> {
                assertThat(holder.mesh()).hasValue(1);
                assertThat(holder.freedAt()).hasValue(6);
            });
        }

        @Test
        void aFreeByAMeshWithoutAnAllocationThereIsUnknownAndNamesTheAllocatingMesh() {
            var history = historyOf("""
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; free DRAM 0x1000 on 0, mesh 1;
                    free DRAM 0x1000 on 0, mesh 0; close
                    """);

            judged(history).hasOutcome(Outcome.MISREPORTED).inconclusiveReasons();
            assertThat(history.live()).isEmpty();
            assertThat(history.anomalies()).singleElement().satisfies(anomaly -> {
                assertThat(anomaly.kind()).isEqualTo(Anomaly.Kind.UNKNOWN_FREE);
                assertThat(anomaly.generation()).contains(history.generations().get(0));
            });
        }

        @Test
        void aDoubleFreeIsOneAlsoAfterAnotherMeshUsedTheAddress() {
            var history = historyOf("""
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; free DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 0;
                    close
                    """);

            assertThat(history.anomalies()).singleElement().satisfies(anomaly -> {
                assertThat(anomaly.kind()).isEqualTo(Anomaly.Kind.DOUBLE_FREE);
                assertThat(anomaly.generation().orElseThrow().mesh()).hasValue(0);
            });
        }
    }

    /** Buffers whose reports name no mesh. */
    @Nested
    class Unnamed {

        @Stories("""
                one mesh that calls a buffer taken speaks for it
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0, mesh 1;
                    close 1; witness CLOSE_BEGUN DRAM on 0: 0x1000; close 0
                    = UNEXPLAINED LEAKED
                    because no free was reported
                    because the allocator of mesh 0 reported 0x1000 (4096) as allocated when close began
                        ({last witnessed})
                what every mesh calls free is free
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0, mesh 1;
                    close 1; witness CLOSE_BEGUN DRAM on 0; close 0
                    = FREE_UNREPORTED MISREPORTED
                    because the allocator of mesh 1 reported 0x1000 (4096) as free when close began ({witnessed 1})
                what one mesh calls free and nobody asked the other may be the other's
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0, mesh 1;
                    close 1; close 0
                    = UNEXPLAINED LEAKED
                    because no free was reported
                a mesh that was opened later says nothing of it
                    mesh 0 over 0; allocate DRAM 0x1000 on 0; mesh 1 in 0 over 0;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1; witness CLOSE_BEGUN DRAM on 0; close 0
                    = FREE_UNREPORTED MISREPORTED
                    because the allocator of mesh 0 reported 0x1000 (4096) as free when close began ({last witnessed})
                what any mesh called taken since the first report is not excused by another
                    // It is unknown which of the two reports the free matched.
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, view;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1; allocate DRAM 0x1000 on 0, owning;
                    free DRAM 0x1000 on 0, view; witness CLOSE_BEGUN DRAM on 0; close 0
                    = UNEXPLAINED LEAKED
                    because reported twice, freed once
                    because the allocator of mesh 1 reported 0x1000 (4096) as allocated when close began ({witnessed 1})
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }

        @Test
        void whatAClosedMeshLeftIsNotReportedAgainByABufferThatNamesNone() {
            var history = historyOf("""
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 1; close 1;
                    allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; close 0
                    """);

            assertThat(history.generations()).hasSize(2);
            assertThat(history.live()).extracting(BufferGeneration::mesh).containsExactly(OptionalInt.of(1));
        }

        @Test
        void aFreeThatNamesAMeshFreesTheReportThatDoes() {
            var history = historyOf("""
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; allocate DRAM 0x1000 on 0;
                    free DRAM 0x1000 on 0, mesh 0; close
                    """);

            assertThat(history.live().get(0).reports())
                    .extracting(BufferGeneration.Report::isOpen)
                    .containsExactly(false, true);
        }

        @Test
        void aViewThatNamesNoMeshIsOfTheBufferItPointsTo() {
            var history = historyOf("""
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0; allocate DRAM 0x1000 on 0, view;
                    free DRAM 0x1000 on 0, owning, mesh 0; close
                    """);

            assertThat(history.generations()).hasSize(1);
            judged(history).hasOnly(Cause.REPORTED_TWICE, SurvivorStatus.MISREPORTED);
        }

        @Test
        void aReportThatNamesTheMeshSaysWhoseTheBufferIs() {
            var history = historyOf("""
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 0
                    """);

            assertThat(history.live()).hasSize(2);
            assertThat(history.live().get(0).reports()).hasSize(2);
            assertThat(history.live())
                    .extracting(BufferGeneration::mesh)
                    .containsExactly(OptionalInt.empty(), OptionalInt.of(1));
            assertThat(history.anomalies())
                    .extracting(Anomaly::kind)
                    .containsExactly(Anomaly.Kind.HELD_BY_TWO_ALLOCATORS);
        }

        @Test
        void aCircularBufferIsOfNoMesh() {
            assertThat(AllocationDetails.circularBuffer(program(1)).onMesh(1).mesh())
                    .isEmpty();

            var history = historyOf("""
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate L1 0x1000 on 0, circular buffer of program 1, mesh 0;
                    allocate L1 0x1000 on 0, circular buffer of program 2, mesh 1; end program 1; end program 2; close
                    """);

            assertThat(history.anomalies()).isEmpty();
            judged(history).hasOnly(Cause.CIRCULAR_BUFFER_UNREPORTED, SurvivorStatus.MISREPORTED);
            assertThat(history.live()).hasSize(1);
        }
    }

    /** The verdict while a mesh is open. */
    @Nested
    class OpenMeshes {

        @Stories("""
                what a closed submesh left is judged though its parent is open
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; close 1
                    = LEAKED, statuses UNDECIDED UNDECIDED UNDECIDED UNDECIDED LEAKED LEAKED
                    because mesh 0 is still open, so it may still be freed
                    inconclusive Mesh 0 (mesh 0) is still open, so its buffers may still be freed. Close it before the
                        check.
                an open submesh is named as one and what it holds is undecided
                    mesh 0 over 0..1; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..1, mesh 1
                    = INCONCLUSIVE, UNEXPLAINED UNDECIDED
                    because mesh 1 is still open, so it may still be freed
                    inconclusive Mesh 0 (mesh 0) is still open, so its buffers may still be freed. Close it before the
                        check.
                    inconclusive Mesh 1 (1x2 submesh of mesh 0) is still open, so its buffers may still be freed. Close
                        it before the check.
                a submesh that outlives its mesh is still open and the mesh is judged
                    mesh 0 over 0..1; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; close 0
                    = LEAKED, statuses LEAKED UNDECIDED
                    inconclusive Mesh 1 (1x2 submesh of mesh 0) is still open although mesh 0 is closed, so its buffers
                        may still be freed. Close it before the check.
                a submesh of a mesh that was never opened has no closed parent
                    mesh 1 in 0 over 0
                    inconclusive Mesh 1 (1x1 submesh of mesh 0) is still open, so its buffers may still be freed. Close
                        it before the check.
                a submesh that outlives its mesh may still allocate and free
                    mesh 0 over 0; mesh 1 in 0 over 0; close 0; allocate DRAM 0x1000 on 0, mesh 1;
                    free DRAM 0x1000 on 0, mesh 1; close 1
                    = LEAK_FREE, conclusive, no anomalies
                what names no mesh waits for the last mesh over its device
                    mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0; close 0
                    = INCONCLUSIVE, UNEXPLAINED UNDECIDED
                a free after the close of its mesh is late though the device is open
                    mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                    allocate DRAM 0x1000 on 0..1, mesh 1; free DRAM 0x1000 on 0..3, mesh 0; close 1;
                    free DRAM 0x1000 on 0..1, mesh 1; close 0
                    = LATE FREED_LATE, anomalies HELD_BY_TWO_ALLOCATORS HELD_BY_TWO_ALLOCATORS FREE_REPORTED_AFTER_CLOSE
                        FREE_REPORTED_AFTER_CLOSE
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }

        @ParameterizedTest
        @CsvSource({"0, 1", "1, 0"})
        void isUndecidedForABufferWhoseFreeNamesTheParentOrTheSubmesh(int allocating, int freeing) {
            var history = history()
                    .mesh(0, 0, 1)
                    .submesh(1, 0, 0)
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .onMesh(allocating)
                    .free(DRAM, device(0), 0x1000)
                    .onMesh(freeing)
                    .closed();

            judged(history)
                    .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED)
                    .because(
                            "no free was reported",
                            "the free of {freed} names mesh " + freeing
                                    + ", and no buffer of that mesh was at the address");
        }

        @Test
        void aHandleReleasedAfterTheCloseOfItsMeshSaysSo() {
            var history = parentAndSubmesh()
                    .closeMesh(1)
                    .freeIgnored(
                            AllocationDetails.user().onMesh(1),
                            DRAM,
                            devices(0, 1),
                            0x1000,
                            IgnoredFreeReason.DEVICE_CLOSED)
                    .free(DRAM, devices(0, 3), 0x1000)
                    .onMesh(0)
                    .closeMesh(0)
                    .recorded();

            judged(history)
                    .hasOutcome(Outcome.FREED_LATE)
                    .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                    .becauseOf(
                            "its handle was released at {free ignored 1}, after the close of mesh 1 began ({mesh closing 1})");
        }

        @Test
        void aHandleOfAClosedMeshSaysNothingOfWhatAnOpenOneHolds() {
            var history = parentAndSubmesh()
                    .closeMesh(1)
                    .freeIgnored(
                            AllocationDetails.user().onMesh(0),
                            DRAM,
                            devices(0, 3),
                            0x1000,
                            IgnoredFreeReason.DEVICE_CLOSED)
                    .closeMesh(0)
                    .recorded();

            judged(history).hasOutcome(Outcome.LEAKED).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
        }

        @Test
        void aMeshNumberThatComesBackIsAnotherMesh() {
            var history = historyOf("""
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close 0;
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; free DRAM 0x1000 on 0, mesh 0;
                    witness CLOSE_BEGUN DRAM on 0; close 0
                    """);

            judged(history)
                    .hasOutcome(Outcome.LEAKED)
                    .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED)
                    .inconclusiveReasons()
                    .because(
                            "no free was reported",
                            "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed 1})");
            assertThat(history.live()).extracting(BufferGeneration::allocatedAt).containsExactly(3L);
        }
    }

    /** Devices that are reported opened by each mesh that uses them. */
    @Nested
    class DevicesOpenedTwice {

        @Test
        void areConclusiveWhereEveryBufferNamesItsMesh() {
            var history = historyOf("""
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; mesh 1 over 0; allocate DRAM 0x1000 on 0, mesh 1;
                    free DRAM 0x1000 on 0, mesh 1; witness CLOSE_BEGUN DRAM on 0, mesh 1; close 1;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000; close 0
                    """);

            judged(history)
                    .hasOutcome(Outcome.LEAKED)
                    .inconclusiveReasons()
                    .because(
                            "no free was reported",
                            "the allocator of mesh 0 reported 0x1000 (4096) as allocated when close began ({last witnessed})");
            assertThat(history.live()).extracting(BufferGeneration::allocatedAt).containsExactly(3L);
        }

        @Test
        void areInconclusiveWhereOneBufferDoesNotNameItsMesh() {
            var history = historyOf("""
                    mesh 0 over 0; mesh 1 over 0; allocate DRAM 0x1000 on 0, mesh 1; allocate DRAM 0x2000 on 0;
                    free DRAM 0x1000 on 0, mesh 1; free DRAM 0x2000 on 0; close
                    """);

            judged(history)
                    .hasOutcome(Outcome.INCONCLUSIVE)
                    .inconclusiveReasons(
                            "Device 0 was opened again ({last device opened}) while it was open, so the reports of the two meshes cannot be kept"
                                    + " apart. Open them through one Ttnn, or close the first one before.");
        }

        @Test
        void areInconclusiveWhereBothMeshesHaveOneNumber() {
            AllocationTracker tracker = AllocationTracker.create();
            for (int runtime = 0; runtime < 2; runtime++) {
                tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
                tracker.deviceOpened(0);
                on(tracker).allocate(DRAM, device(0), 0x1000, 64).onMesh(0).recorded();
            }
            for (int runtime = 0; runtime < 2; runtime++) {
                on(tracker).free(DRAM, device(0), 0x1000).onMesh(0).recorded();
                tracker.meshClosed(0);
            }

            judged(tracker.history())
                    .hasOutcome(Outcome.INCONCLUSIVE)
                    .inconclusiveReasons(
                            "Device 0 was opened again ({last device opened}) while it was open, so the reports of the two meshes cannot be kept"
                                    + " apart. Open them through one Ttnn, or close the first one before.");
        }

        /** A submesh opens no device, so the number that it shares shows only after the device was opened again. */
        @Test
        void areInconclusiveWhereALaterSubmeshHasTheNumberOfTheOtherMesh() {
            var history = historyOf("""
                    mesh 0 over 0; mesh 1 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 1;
                    free DRAM 0x1000 on 0, mesh 1; close
                    """);

            judged(history).hasOutcome(Outcome.INCONCLUSIVE);
            assertThat(history.openedWhileOpen()).hasSize(1);
        }

        @Test
        void areInconclusiveWhereTheNamedMeshWasNeverOpened() {
            var history = historyOf("""
                    mesh 0 over 0; mesh 1 over 0; allocate DRAM 0x1000 on 0, mesh 5; free DRAM 0x1000 on 0, mesh 5;
                    close
                    """);

            judged(history).hasOutcome(Outcome.INCONCLUSIVE);
            assertThat(history.openedWhileOpen()).hasSize(1);
        }

        @Test
        void areInconclusiveAfterASubmeshWasClosedToo() {
            var history = historyOf("""
                    mesh 0 over 0; mesh 1 in 0 over 0; close 1; mesh 2 over 0; allocate DRAM 0x1000 on 0;
                    free DRAM 0x1000 on 0; close
                    """);

            assertThat(history.openedWhileOpen()).hasSize(1);
        }
    }

    /** Buffers of several allocators at one address are distinguished as far as the reports name them. */
    @Nested
    class AtOneAddress {

        @Stories("""
                a buffer keeps its mesh
                    without origins; mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 1;
                    allocate DRAM 0x1000 on 0, mesh 1; witness CLOSE_BEGUN DRAM on 0; close 0;
                    witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1
                    = LEAKED, UNEXPLAINED LEAKED, live of meshes 1
                an address that two meshes reported is of the one that did not free it and is not excused by the other
                    without origins; mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0;
                    allocate DRAM 0x1000 on 0, mesh 1; free DRAM 0x1000 on 0, mesh 0; witness CLOSE_BEGUN DRAM on 0;
                    close 0; witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1
                    = LEAKED, UNEXPLAINED LEAKED, live of meshes 1
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }
    }

    /** Both hold a buffer at one address of devices 0 and 1; the events up to #12. */
    private static HistoryScript parentAndSubmesh() {
        return history().report("""
                mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0;
                allocate DRAM 0x1000 on 0..1, mesh 1
                """);
    }

    private static HistoryScript allocatedTwice() {
        return history().report("""
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; allocate DRAM 0x1000 on 0, mesh 1
                """);
    }

    private static List<Overwrite.Kind> overlaps(HistoryScript script) {
        return LeakCheck.create().examine(script.closed()).overwrites().stream()
                .map(Overwrite::kind)
                .toList();
    }

    @Test
    void meshesThatAllocateTheSameMemoryAtATimeOverlap() {
        assertThat(overlaps(allocatedTwice())).containsExactly(Overwrite.Kind.BY_OTHER_ALLOCATOR);
    }

    @Test
    void memoryFreedWithoutAReportOverlapsNothing() {
        assertThat(overlaps(allocatedTwice().witnessOf(0, Moment.CLOSE_BEGUN, DRAM, device(0))))
                .isEmpty();
    }

    @Test
    void aFreeOfNothingIsNoOverlap() {
        assertThat(overlaps(history().mesh(0, 0).free(DRAM, device(0), 0x1000))).isEmpty();
    }
}
