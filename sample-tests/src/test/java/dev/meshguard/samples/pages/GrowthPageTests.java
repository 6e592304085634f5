package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;

import dev.meshguard.junit.MemoryBudget;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

/** The code of {@code docs/growth-and-budgets.md}. */
@TrackAllocations
@FakeMesh(rows = 1, columns = 2)
class GrowthPageTests {

    @Test
    void decodingFillsACacheAndNoMore(Ttnn ttnn, MeshDevice mesh, AllocationTracker tracker) {
        // region: rounds
        tracker.rounds(4, round -> decode(ttnn, mesh));

        assertThat(tracker).accumulation().doesNotGrow();
        // end region
    }

    @Test
    void decodingUsesTheProgramsOfTheFirstRound(Ttnn ttnn, MeshDevice mesh, AllocationTracker tracker) {
        // region: program-cache
        tracker.rounds(4, round -> decode(ttnn, mesh));

        assertThat(tracker).accumulation().hasStableProgramCache();
        // end region
    }

    // region: budgets
    @Test
    @MemoryBudget(type = L1, peakBytes = 1_310_720, liveBytes = 0)
    @MemoryBudget(type = DRAM, device = 0, largestFreeBlock = 536_870_912)
    void decodesWithinItsMemory(Ttnn ttnn, MeshDevice mesh) {
        decode(ttnn, mesh);
        mesh.disableAndClearProgramCache();
    }
    // end region

    private static void decode(Ttnn ttnn, MeshDevice mesh) {
        Tensor tokens = ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
        ttnn.deallocate(ttnn.add(tokens, tokens));
        ttnn.deallocate(tokens);
    }
}
