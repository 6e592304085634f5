package dev.meshguard.junit;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.verdict.Outcome;
import org.junit.jupiter.api.Test;

/** A mesh and a device of it allocate the same address; bounds and budgets count both. */
class AllocatorIdentityTests implements WithFixtures {
    @TrackAllocations
    static class OneExpectedTestCase {

        @Test
        @MustFail(verdict = Outcome.LEAKED, text = "sum     2 allocated = 0 freed + 1 leaked + 1 expected\n")
        @ExpectBuffers(type = BufferType.DRAM, atMost = 1, because = "one is shared")
        void anEntryForOneBufferDoesNotAdmitTwoAtOneAddress(Ttnn ttnn) {
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 1));
            mesh.allocateOn(0, dram(2_048));
            mesh.allocate(dram(2_048));
            ttnn.closeMeshDevice(mesh);
        }
    }

    @TrackAllocations(check = AllocationCheck.NO_LEAKS)
    @MemoryBudget(type = BufferType.DRAM, peakBytes = 4_096)
    static class PeakTestCase {

        @Test
        @MustFail(error = BudgetAssertionError.class, text = "peak 32 MiB")
        void aBudgetCountsWhatTheMeshHoldsAtTheAddressOfADevicesBuffer(Ttnn ttnn) {
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 1));
            var ofDevice = mesh.allocateOn(0, dram(2_048));
            var ofMesh = mesh.allocate(dram(32L << 20));
            ofMesh.deallocate();
            ofDevice.deallocate();
            ttnn.closeMeshDevice(mesh);
        }
    }

    private static BufferConfig dram(long bytes) {
        return BufferConfig.of(BufferType.DRAM, bytes, 2_048);
    }
}
