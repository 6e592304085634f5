package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.history.MemorySnapshot;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A test takes snapshots of its memory, and computes the growth since its begin. */
class MemorySnapshotsTests {

    @Test
    void aSnapshotIsOfWhatIsAllocatedNow() {
        assertThat(run(SnapshotTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void growthIsCountedFromTheFirstLineOfTheTest() {
        assertThat(run(GrowthTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void aListingNamesEachBufferBeforeTheClose() {
        assertThat(run(ListingTestCase.class)).hasOnlySucceeded(1);
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class ListingTestCase {
        @Test
        void test(MeshDevice mesh, MemorySnapshots snapshots) {
            MeshBuffer buffer = Buffers.take(mesh);

            Assertions.assertThat(snapshots.listing().lines())
                    .satisfiesExactly(
                            first -> Assertions.assertThat(first).isEqualTo("1 buffer, 4 KiB (4096 B) allocated"),
                            line -> Assertions.assertThat(line)
                                    .contains("DRAM 4 KiB (4096 B) at 0x" + Long.toHexString(buffer.address()))
                                    .contains("on device 0, unlabelled, event #")
                                    .contains("MemorySnapshotsTests.java:"));
            buffer.deallocate();
            Assertions.assertThat(snapshots.listing()).isEqualTo("nothing allocated");
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class SnapshotTestCase {
        @Test
        void test(MeshDevice mesh, MemorySnapshots snapshots) {
            MemorySnapshot empty = snapshots.take();
            MeshBuffer buffer = Buffers.take(mesh);

            Assertions.assertThat(empty).hasToString("nothing allocated");
            Assertions.assertThat(snapshots.take()).hasToString("device 0 DRAM USER: 4 KiB (4096 B) in 1 buffer");
            buffer.deallocate();
            Assertions.assertThat(snapshots.take()).isEqualTo(empty);
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class GrowthTestCase {
        private MeshBuffer ofSetUp;

        @BeforeEach
        void setUp(MeshDevice mesh) {
            ofSetUp = Buffers.take(mesh);
        }

        @Test
        void test(MeshDevice mesh, MemorySnapshots snapshots) {
            MeshBuffer more = Buffers.take(mesh);

            Assertions.assertThat(snapshots.first()).hasToString("device 0 DRAM USER: 4 KiB (4096 B) in 1 buffer");
            Assertions.assertThat(snapshots.growth().bytes()).isEqualTo(4_096);
            more.deallocate();
            ofSetUp.deallocate();
            Assertions.assertThat(snapshots.growth().bytes()).isEqualTo(-4_096);
        }
    }
}
