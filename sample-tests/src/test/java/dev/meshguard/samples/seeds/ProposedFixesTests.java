package dev.meshguard.samples.seeds;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.history.CountingPolicy.EVERY_REPORT;
import static dev.meshguard.history.CountingPolicy.ONCE_PER_ADDRESS;
import static dev.meshguard.history.CountingPolicy.OWNED_ONLY;
import static dev.meshguard.history.CountingPolicy.REFERENCE_COUNTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.ALLOCATOR_CLEARS_WITHOUT_REPORTING;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY;
import static dev.meshguard.mesh.runtime.RuntimeDefect.NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES;
import static dev.meshguard.mesh.runtime.RuntimeFix.CLEAR_PROGRAM_CACHE_ON_CLOSE;
import static dev.meshguard.mesh.runtime.RuntimeFix.FORCE_CLEANUP_ALL_BUFFERS;
import static dev.meshguard.mesh.runtime.RuntimeFix.LOADING_VIEWS_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeFix.PROGRAMS_REPORT_BINARIES_AFTER_CLOSE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Owner;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.samples.support.MeshAllocation;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests every fix that the seeds proposed or tried: its effects, and what it does not change. */
class ProposedFixesTests {

    private static final int DEVICES = 8;
    private static final Owner COMMAND_QUEUE = new Owner(Owner.Kind.COMMAND_QUEUE, "0");

    private final AllocationTracker tracker = AllocationTracker.create();

    @Nested
    @DisplayName("seed 000, option 1: force_cleanup_all_buffers when the device is closed")
    class ForcedCleanup {

        @Test
        void hidesAUsersLeakFromTheDevice() {
            leakATensor(FORCE_CLEANUP_ALL_BUFFERS);

            assertThat(allocatedAddressesOfDevice0(Moment.BEFORE_WIPE)).isZero();
        }

        @Test
        void hidesNothingFromTheVerdict() {
            LeakVerdict verdict = LeakCheck.create().examine(leakATensor(FORCE_CLEANUP_ALL_BUFFERS));

            assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
            assertThat(verdict.survivors()).hasSize(DEVICES);
            assertThat(allocatedAddressesOfDevice0(Moment.CLOSE_BEGUN)).isOne();
        }

        @Test
        void isNotNeededForTheThreeL1BuffersWhichLieInNoAllocator() {
            AllocationHistory history =
                    october(new RuntimeFix[] {FORCE_CLEANUP_ALL_BUFFERS}, CIRCULAR_BUFFERS_NEVER_REPORTED_FREE);

            assertThat(history.ledger(REFERENCE_COUNTED).bytes(0, L1)).isEqualTo(12_288);
        }
    }

    @Nested
    @DisplayName("seed 000, options 2 and 3: track system buffers separately, or accept them as design")
    class Lifetimes {

        @Test
        void aPersistentBufferIsExpectedAndCountedSeparately() {
            LeakVerdict verdict = LeakCheck.create().examine(withSystemBuffer(BufferLifetime.PERSISTENT));

            assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
            assertThat(verdict.totals())
                    .allSatisfy(total -> assertThat(total.lifetime()).isEqualTo(BufferLifetime.PERSISTENT));
        }

        @Test
        void acceptingThreeBuffersAcceptsNoFourth() {
            AllocationHistory history = october(new RuntimeFix[0], CIRCULAR_BUFFERS_NEVER_REPORTED_FREE);
            ExpectedBuffers two = ExpectedBuffers.of(
                    Expectation.because("dispatch keeps them").type(L1).atMost(2));
            ExpectedBuffers three = ExpectedBuffers.of(
                    Expectation.because("dispatch keeps them").type(L1).atMost(3));

            assertThat(LeakCheck.create().expecting(three).examine(history).outcome())
                    .isEqualTo(Outcome.EXPECTED_ONLY);
            assertThat(LeakCheck.create().expecting(two).examine(history).outcome())
                    .isNotEqualTo(Outcome.EXPECTED_ONLY);
        }
    }

    @Nested
    @DisplayName("seed 002, option 1: programs give back their buffers in their destructor")
    class ProgramDestructor {

        @Test
        void balancesTheReferenceCountedLedgerWhenTheMeshObjectIsGone() {
            AllocationHistory history = cacheKept(PROGRAMS_REPORT_BINARIES_AFTER_CLOSE);

            assertThat(onEachDevice(history, REFERENCE_COUNTED)).containsOnly(0L);
        }

        @Test
        void leavesTheLedgerOfEveryReportUnchanged() {
            assertThat(onEachDevice(cacheKept(PROGRAMS_REPORT_BINARIES_AFTER_CLOSE), EVERY_REPORT))
                    .isEqualTo(onEachDevice(cacheKept(), EVERY_REPORT))
                    .containsOnly(36_864L);
        }
    }

    @Nested
    @DisplayName("seed 002, option 2: clear the program cache when the device is closed")
    class ClearedCache {

        @Test
        void leavesNothingThatACacheKeeps() {
            LeakVerdict without = LeakCheck.create().examine(meshKept());
            LeakVerdict with = LeakCheck.create().examine(meshKept(CLEAR_PROGRAM_CACHE_ON_CLOSE));

            assertThat(without.survivors()).extracting(Survivor::cause).contains(Cause.CACHED);
            assertThat(with.survivors()).isEmpty();
        }

        @Test
        void leavesTheLedgerOfEveryReportUnchanged() {
            assertThat(onEachDevice(cacheKept(CLEAR_PROGRAM_CACHE_ON_CLOSE), EVERY_REPORT))
                    .containsOnly(36_864L);
        }
    }

    @Nested
    @DisplayName("seed 002, option 3: report the runtime's own buffers at close")
    class SystemBuffers {

        @Test
        void balanceTheirOwnLedger() {
            assertThat(systemBytes(true)).isEqualTo(DEVICES * 8_192L);
            assertThat(systemBytes(false)).isZero();
        }

        @Test
        void haveNothingToDoWithTheThirtySixKiB() {
            assertThat(cacheKept().generations())
                    .filteredOn(buffer -> buffer.type() == DRAM && buffer.isLive())
                    .hasSize(2 * DEVICES)
                    .allSatisfy(buffer -> assertThat(buffer.owner())
                            .get()
                            .extracting(Owner::kind)
                            .isEqualTo(Owner.Kind.PROGRAM));
        }

        private long systemBytes(boolean cleared) {
            AllocationTracker own = AllocationTracker.create();
            Ttnn ttnn = Ttnn.builder(own)
                    .systemBuffer(COMMAND_QUEUE, DRAM, 8_192)
                    .defects(cleared ? new RuntimeDefect[] {ALLOCATOR_CLEARS_WITHOUT_REPORTING} : new RuntimeDefect[0])
                    .build();
            ttnn.closeMeshDevice(ttnn.openMeshDevice(MeshShape.of(2, 4)));
            return own.history().ledger(REFERENCE_COUNTED).bytes(DRAM);
        }
    }

    @Nested
    @DisplayName("seed 002, option 4: do not allocate twice")
    class OneReport {

        @Test
        void balancesEveryCounterForItWasOneAllocationReportedTwice() {
            AllocationHistory history = cacheKept(LOADING_VIEWS_NOT_REPORTED, CLEAR_PROGRAM_CACHE_ON_CLOSE);

            assertThat(onEachDevice(history, EVERY_REPORT)).containsOnly(0L);
        }

        @Test
        void leavesWhatTheCacheKeeps() {
            LeakVerdict verdict = LeakCheck.create().examine(meshKept(LOADING_VIEWS_NOT_REPORTED));

            assertThat(verdict.survivors(survivor -> survivor.buffer().type() == DRAM))
                    .hasSize(2 * DEVICES)
                    .extracting(Survivor::cause)
                    .containsOnly(Cause.CACHED);
        }
    }

    @Nested
    @DisplayName("seed 003, options A to C: count otherwise, or accept")
    class Counting {

        @Test
        void ownersOnlyMissesALeakOfAMeshBuffer() {
            AllocationHistory history = leakATensor();

            assertThat(history.ledger(OWNED_ONLY).bytes(DRAM)).isZero();
            assertThat(LeakCheck.create().examine(history).outcome()).isEqualTo(Outcome.LEAKED);
        }

        @Test
        void onceForEachAddressMissesABufferWhereTheFreeOfAnEarlierOneWasLost() {
            Ttnn ttnn = Ttnn.builder(tracker)
                    .defects(MESH_BUFFER_DEALLOCATE_RETURNS_EARLY)
                    .build();
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
            ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh).deallocate();
            ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);

            assertThat(tracker.history().ledger(ONCE_PER_ADDRESS).bytes(0, DRAM))
                    .isEqualTo(2_048);
            assertThat(mesh.statistics(DRAM).totalAllocated()).isEqualTo(2_048);
            assertThat(tracker.history().ledger(EVERY_REPORT).bytes(0, DRAM)).isEqualTo(2_048 + 8_192);
        }

        @Test
        void acceptingSystemBuffersByTheirSizeAloneWouldAcceptAnybodys() {
            LeakVerdict verdict = LeakCheck.create()
                    .expecting(ExpectedBuffers.of(Expectation.because("seed 003 calls them system buffers")
                            .type(DRAM)))
                    .examine(leakATensor());

            assertThat(verdict.outcome()).as("so an expectation has bounds").isEqualTo(Outcome.EXPECTED_ONLY);
        }
    }

    @Nested
    @DisplayName("seed 004: report frees in mark_as_deallocated, for buffers that own nothing too")
    class ReportEveryFree {

        @Test
        void bringsTheFreesOfAllEightDevices() {
            AllocationHistory early =
                    early(NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES, MESH_BUFFER_DEALLOCATE_RETURNS_EARLY);
            AllocationHistory repaired = early();

            assertThat(early.ledger(REFERENCE_COUNTED).bytes(7, DRAM)).isPositive();
            assertThat(onEachDevice(repaired, REFERENCE_COUNTED)).containsOnly(0L);
        }

        @Test
        void leavesDevice0WithTwoReportsOfEveryTensor() {
            assertThat(early().ledger(REFERENCE_COUNTED).repetitions())
                    .filteredOn(repetition -> repetition.type() == DRAM)
                    .extracting(repetition -> repetition.device())
                    .contains(0);
        }

        private AllocationHistory early(RuntimeDefect... more) {
            AllocationTracker own = AllocationTracker.create();
            Ttnn ttnn = Ttnn.builder(own)
                    .preset(RuntimePreset.OCTOBER_2025)
                    .defects(BACKING_BUFFERS_REPORTED_AS_DEVICE_0)
                    .defects(more)
                    .build();
            new MeshAllocation(ttnn, ttnn.openMeshDevice(MeshShape.of(2, 4))).run();
            return own.history();
        }
    }

    private AllocationHistory leakATensor(RuntimeFix... fixes) {
        Ttnn ttnn = Ttnn.builder(tracker).fixes(fixes).build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
        Tensor forgotten = ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
        ttnn.closeMeshDevice(mesh);
        assertThat(forgotten.isAllocated()).isTrue();
        return tracker.history();
    }

    private AllocationHistory withSystemBuffer(BufferLifetime lifetime) {
        Ttnn ttnn = Ttnn.builder(tracker)
                .systemBuffer(COMMAND_QUEUE, L1, 12_288, lifetime)
                .build();
        ttnn.closeMeshDevice(ttnn.openMeshDevice(MeshShape.of(2, 4)));
        return tracker.history();
    }

    private AllocationHistory october(RuntimeFix[] fixes, RuntimeDefect... defects) {
        Ttnn ttnn = Ttnn.builder(tracker)
                .preset(RuntimePreset.OCTOBER_2025)
                .fixes(fixes)
                .defects(defects)
                .build();
        new MeshAllocation(ttnn, ttnn.openMeshDevice(MeshShape.of(2, 4))).run();
        return tracker.history();
    }

    /** One round of seed 002's accumulation: the cache is not cleared, and the mesh object goes at last. */
    private static AllocationHistory cacheKept(RuntimeFix... fixes) {
        AllocationTracker own = AllocationTracker.create();
        runWithoutClearingTheCache(own, fixes).dropMesh();
        return own.history();
    }

    /** The same as long as somebody holds the mesh object. */
    private static AllocationHistory meshKept(RuntimeFix... fixes) {
        AllocationTracker own = AllocationTracker.create();
        runWithoutClearingTheCache(own, fixes);
        return own.history();
    }

    private static MeshAllocation runWithoutClearingTheCache(AllocationTracker own, RuntimeFix... fixes) {
        Ttnn ttnn = Ttnn.builder(own)
                .preset(RuntimePreset.OCTOBER_2025)
                .defects(BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED)
                .fixes(fixes)
                .build();
        MeshAllocation test = new MeshAllocation(ttnn, ttnn.openMeshDevice(MeshShape.of(2, 4))).compute();
        test.freeTensors();
        test.close();
        return test;
    }

    private static List<Long> onEachDevice(AllocationHistory history, CountingPolicy policy) {
        return IntStream.range(0, DEVICES)
                .mapToObj(device -> history.ledger(policy).bytes(device, DRAM))
                .toList();
    }

    private int allocatedAddressesOfDevice0(Moment moment) {
        return tracker.history().witnessSnapshots().stream()
                .filter(event -> event.snapshot().moment() == moment)
                .findFirst()
                .orElseThrow()
                .snapshot()
                .allocatedAddresses(0, DRAM)
                .size();
    }
}
