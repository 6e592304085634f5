package dev.meshguard.junit.mesh;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The error of a test that finds no room on a shared mesh names the test that holds the memory. */
class SharedMemoryTests {

    private static final long MOST_OF_L1 = 64L * 1_024 * 1_024;

    @Test
    void theErrorOfTheVictimNamesTheCulprit() {
        assertThat(run(SharedMeshTestCase.class))
                .hasTest("victim")
                .whichFailed()
                .with(DeviceOutOfMemoryException.class)
                .withTextContaining("SharedMemoryTests.java:")
                .withTextContaining(", by SharedMemoryTests$SharedMeshTestCase#culprit");
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class SharedMeshTestCase {

        @Test
        @Order(1)
        void culprit(MeshDevice mesh) {
            mesh.allocate(BufferType.L1, MOST_OF_L1);
        }

        @Test
        @Order(2)
        void victim(MeshDevice mesh) {
            mesh.allocate(BufferType.L1, MOST_OF_L1);
        }
    }
}
