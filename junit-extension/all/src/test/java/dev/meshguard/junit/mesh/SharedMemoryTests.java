package dev.meshguard.junit.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The error of a test that finds no room on a shared mesh names the test that holds the memory. */
class SharedMemoryTests implements WithFixtures {

    private static final long MOST_OF_L1 = 64L * 1_024 * 1_024;

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class SharedMeshTestCase {

        @MustLeak
        @Order(1)
        void culprit(MeshDevice mesh) {
            mesh.allocate(BufferType.L1, MOST_OF_L1);
        }

        @Test
        @Order(2)
        @MustFail(
                error = DeviceOutOfMemoryException.class,
                text = {"SharedMemoryTests.java:", ", by SharedMemoryTests$SharedMeshTestCase#culprit"})
        void theErrorOfTheVictimNamesTheCulprit(MeshDevice mesh) {
            mesh.allocate(BufferType.L1, MOST_OF_L1);
        }
    }
}
