package dev.meshguard.samples.seeds;

import static dev.meshguard.tracker.BufferType.DRAM;
import static dev.meshguard.tracker.history.CountingPolicy.EVERY_REPORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.CloseOrder;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.samples.support.MeshAllocation;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Owner;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The two fixes that seed 003 tried and took back: clearing the command-queue programs before the allocators, and
 * resetting the fabric program.
 *
 * <p>Neither changed anything, and the verdict says why: the 36 KB belong to the programs of add and matmul in the
 * program cache, not to a command queue and not to the fabric.
 */
class CloseOrderTests {

    private static final Owner COMMAND_QUEUE = new Owner(Owner.Kind.COMMAND_QUEUE, "0");
    private static final Owner FABRIC = new Owner(Owner.Kind.FABRIC, "router");

    private final AllocationTracker tracker = AllocationTracker.create();

    @ParameterizedTest
    @EnumSource
    void doesNotReachTheThirtySixKiB(CloseOrder order) {
        AllocationHistory history = historyOfATestThatKeepsItsCache(order);

        assertThat(IntStream.range(0, 8).boxed())
                .allSatisfy(device -> assertThat(history.books(EVERY_REPORT).bytes(device, DRAM))
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

    private AllocationHistory historyOfATestThatKeepsItsCache(CloseOrder order) {
        Ttnn ttnn = Ttnn.builder(tracker)
                .preset(RuntimePreset.OCTOBER_2025)
                .systemBuffer(COMMAND_QUEUE, DRAM, 8_192)
                .systemBuffer(FABRIC, DRAM, 4_096)
                .closeOrder(order)
                .build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
        MeshAllocation test = new MeshAllocation(ttnn, mesh).compute();
        test.freeTensors();
        test.close();
        return tracker.history();
    }
}
