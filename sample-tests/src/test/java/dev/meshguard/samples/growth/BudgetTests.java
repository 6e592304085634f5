package dev.meshguard.samples.growth;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.MemoryBudget;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Shows which limits a budget can check without an allocator, and which only with one. */
@TrackAllocations
@FakeMesh(rows = 1, columns = 2)
class BudgetTests {

    /** Two tiles of each of three circular buffers. */
    private static final long CIRCULAR_BUFFERS_OF_ADD = 3 * 2 * 2_048;

    @Test
    @MemoryBudget(type = BufferType.L1, peakBytes = CIRCULAR_BUFFERS_OF_ADD, buffers = 3)
    void aPeakHasTheCircularBuffersThatNoAllocatorKnows(Ttnn ttnn, MeshDevice mesh, AllocationTracker tracker) {
        Tensor one = tensor(ttnn, mesh);
        ttnn.deallocate(ttnn.add(one, one));
        ttnn.deallocate(one);

        Assertions.assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isZero();
        assertThatExceptionOfType(BudgetAssertionError.class)
                .isThrownBy(() -> assertThat(tracker)
                        .staysWithin(dev.meshguard.verdict.budget.BudgetSpec.of(BufferType.L1)
                                .peakBytes(CIRCULAR_BUFFERS_OF_ADD - 1)))
                .withMessageContaining("L1 of devices 0-1: peak 12 KiB (12288 B), 1 B over the budget")
                .withMessageContaining("circular buffers included: 12 KiB (12288 B) of it");
    }

    @Test
    @MemoryBudget(type = BufferType.DRAM, largestFreeBlock = 536_870_912)
    void aHoleBelowATensorBelongsToNoLargeBlockUntilTheTensorIsFreed(Ttnn ttnn, MeshDevice mesh) {
        Tensor first = tensor(ttnn, mesh);
        Tensor second = tensor(ttnn, mesh);
        ttnn.deallocate(first);
        long free = mesh.statistics(BufferType.DRAM).totalFree();

        assertThatExceptionOfType(BudgetAssertionError.class)
                .isThrownBy(() -> assertThat(mesh)
                        .staysWithin(dev.meshguard.verdict.budget.BudgetSpec.of(BufferType.DRAM)
                                .largestFreeBlock(free)))
                .withMessageContaining("DRAM of devices 0-1: largest free block ");

        ttnn.deallocate(second);
        assertThat(mesh)
                .staysWithin(dev.meshguard.verdict.budget.BudgetSpec.of(BufferType.DRAM)
                        .largestFreeBlock(free)
                        .liveBytes(0));
    }

    private static Tensor tensor(Ttnn ttnn, MeshDevice mesh) {
        return ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
    }
}
