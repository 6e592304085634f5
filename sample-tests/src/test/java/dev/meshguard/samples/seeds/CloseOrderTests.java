package dev.meshguard.samples.seeds;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.history.CountingPolicy.EVERY_REPORT;
import static dev.meshguard.mesh.runtime.RuntimeFix.CLEAR_COMMAND_QUEUE_PROGRAMS_BEFORE_ALLOCATORS;
import static dev.meshguard.mesh.runtime.RuntimeFix.RESET_FABRIC_PROGRAM_ON_CLOSE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Owner;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.CloseOrder;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.SystemProgram;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.samples.support.MeshAllocation;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The two fixes that seed 003 tried and reverted: clearing the command-queue programs before the allocators, and resetting the
 * fabric program.
 *
 * <p>Neither changed anything, and the verdict gives the reason. The 36 KB belong to the programs of add and matmul in the
 * program cache, not to a command queue and not to the fabric. The order of a close matters only if those programs own buffers,
 * and then each of the two fixes something else.
 */
class CloseOrderTests {

    private static final Owner COMMAND_QUEUE = new Owner(Owner.Kind.COMMAND_QUEUE, "0");
    private static final Owner FABRIC = new Owner(Owner.Kind.FABRIC, "router");
    private static final SystemProgram FABRIC_PROGRAM = SystemProgram.fabric().withKernelBinary(1);

    private final AllocationTracker tracker = AllocationTracker.create();

    @ParameterizedTest
    @EnumSource
    void doesNotReachTheThirtySixKiB(CloseOrder order) {
        AllocationHistory history = historyOfATestThatKeepsItsCache(order);

        assertThat(IntStream.range(0, 8).boxed())
                .allSatisfy(device -> assertThat(history.ledger(EVERY_REPORT).bytes(device, DRAM))
                        .isEqualTo(36_864));
    }

    @Test
    void neitherDoTheFixesThemselves() {
        AllocationHistory history = historyOfATestThatKeepsItsCache(
                CloseOrder.SYSTEM_BUFFERS_FIRST,
                CLEAR_COMMAND_QUEUE_PROGRAMS_BEFORE_ALLOCATORS,
                RESET_FABRIC_PROGRAM_ON_CLOSE);

        assertThat(IntStream.range(0, 8).boxed())
                .allSatisfy(device -> assertThat(history.ledger(EVERY_REPORT).bytes(device, DRAM))
                        .isEqualTo(36_864));
    }

    @ParameterizedTest
    @EnumSource
    void leavesOnlyWhatCachedProgramsOwn(CloseOrder order) {
        LeakVerdict verdict = LeakCheck.create().examine(historyOfATestThatKeepsItsCache(order));

        assertThat(verdict.survivors(survivor -> survivor.buffer().type() == DRAM))
                .hasSize(16)
                .allSatisfy(survivor -> {
                    assertThat(survivor.cause()).isEqualTo(Cause.CACHED);
                    assertThat(survivor.buffer().owner())
                            .get()
                            .extracting(Owner::kind)
                            .isEqualTo(Owner.Kind.PROGRAM);
                });
        assertThat(verdict.survivors())
                .as("and nothing of the command queue or the fabric")
                .extracting(Survivor::cause)
                .containsOnly(Cause.CACHED);
    }

    @Nested
    @DisplayName("where the programs of the command queues and of the fabric own buffers")
    class OwnersOfBuffers {

        @Test
        void theFabricIsLeftAndNamedAndDispatchLooksFreedAlthoughItsMemoryWasWiped() {
            LeakVerdict verdict = verdictOfAnEmptyTest();

            assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
            assertThat(ownersOf(verdict.survivors())).containsExactly("fabric \"device 0\"", "fabric \"device 1\"");
            assertThat(verdict.survivors()).extracting(Survivor::cause).containsOnly(Cause.SYSTEM);
            assertThat(allocatedBeforeTheWipe(0)).as("fabric and dispatch").hasSize(2);
        }

        @Test
        void fix1LetsDispatchFreeWhatIsStillThereAndLeavesTheFabric() {
            LeakVerdict verdict = verdictOfAnEmptyTest(CLEAR_COMMAND_QUEUE_PROGRAMS_BEFORE_ALLOCATORS);

            assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
            assertThat(ownersOf(verdict.survivors())).containsExactly("fabric \"device 0\"", "fabric \"device 1\"");
            assertThat(allocatedBeforeTheWipe(0)).as("fabric").hasSize(1);
        }

        @Test
        void fix2ReportsTheFreesOfTheFabricAlthoughTheyFindNothing() {
            LeakVerdict verdict = verdictOfAnEmptyTest(RESET_FABRIC_PROGRAM_ON_CLOSE);

            assertThat(verdict.outcome()).isEqualTo(Outcome.LEAK_FREE);
            assertThat(allocatedBeforeTheWipe(0)).as("fabric and dispatch").hasSize(2);
        }

        @Test
        void aPersistentFabricIsExpected() {
            LeakVerdict verdict = LeakCheck.create()
                    .examine(
                            historyOf(runtime().systemProgram(FABRIC_PROGRAM.withLifetime(BufferLifetime.PERSISTENT))));

            assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        }

        @ParameterizedTest
        @EnumSource
        void theQueuesOfTheMeshAreFreedBeforeTheWipeUnlessTheAllocatorsGoFirst(CloseOrder order) {
            AllocationHistory history = historyOf(runtime()
                    .systemProgram(SystemProgram.commandQueue().withKernelBinary(1))
                    .closeOrder(order));

            assertThat(LeakCheck.create().examine(history).outcome()).isEqualTo(Outcome.LEAK_FREE);
            assertThat(allocatedBeforeTheWipe(0)).hasSize(order == CloseOrder.ALLOCATORS_FIRST ? 1 : 0);
        }

        private LeakVerdict verdictOfAnEmptyTest(RuntimeFix... fixes) {
            return LeakCheck.create()
                    .examine(historyOf(runtime()
                            .systemProgram(FABRIC_PROGRAM)
                            .systemProgram(SystemProgram.dispatch().withKernelBinary(1))
                            .fixes(fixes)));
        }

        private Ttnn.Builder runtime() {
            return Ttnn.builder(tracker).preset(RuntimePreset.OCTOBER_2025);
        }

        private AllocationHistory historyOf(Ttnn.Builder runtime) {
            runtime.build().openMeshDevice(MeshShape.of(1, 2)).close();
            return tracker.history();
        }

        private List<Long> allocatedBeforeTheWipe(int device) {
            return tracker.history().witnessSnapshots().stream()
                    .filter(event -> event.snapshot().moment() == Moment.BEFORE_WIPE)
                    .flatMap(event -> event.snapshot().allocatedAddresses(device, DRAM).stream())
                    .toList();
        }

        private List<String> ownersOf(List<Survivor> survivors) {
            return survivors.stream()
                    .map(survivor -> survivor.buffer().owner().orElseThrow().toString())
                    .toList();
        }
    }

    private AllocationHistory historyOfATestThatKeepsItsCache(CloseOrder order, RuntimeFix... fixes) {
        Ttnn ttnn = Ttnn.builder(tracker)
                .preset(RuntimePreset.OCTOBER_2025)
                .systemBuffer(COMMAND_QUEUE, DRAM, 8_192)
                .systemBuffer(FABRIC, DRAM, 4_096)
                .closeOrder(order)
                .fixes(fixes)
                .build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
        MeshAllocation test = new MeshAllocation(ttnn, mesh).compute();
        test.freeTensors();
        test.close();
        return tracker.history();
    }
}
