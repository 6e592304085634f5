package dev.meshguard.samples.reported;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.samples.support.Fixture;
import org.junit.jupiter.api.Test;

/** tt-metal #4171 and #4464: move frees its input by address, allocates the output there, and frees the input again. */
@Fixture
@FakeMesh(rows = 1, columns = 1)
@TrackAllocations
class MovedTwiceTestCase {

    @Test
    void movesTwice(MeshDevice mesh) {
        MeshBuffer first = mesh.allocate(BufferType.L1, 131_072);
        MeshBuffer second = mesh.allocate(BufferType.L1, 131_072);
        MeshBuffer movedFirst = moved(mesh, first);
        mesh.deallocateAddress(first.type(), first.address()); // The memory of movedFirst.
        MeshBuffer movedSecond = moved(mesh, second);
        free(mesh, second);

        movedFirst.deallocate();
        movedSecond.deallocate();
    }

    @Test
    void movesTwiceAndFreesOnce(MeshDevice mesh) {
        MeshBuffer first = mesh.allocate(BufferType.L1, 131_072);
        MeshBuffer second = mesh.allocate(BufferType.L1, 131_072);
        MeshBuffer movedFirst = moved(mesh, first);
        MeshBuffer movedSecond = moved(mesh, second);

        movedFirst.deallocate();
        movedSecond.deallocate();
    }

    /** Who frees by address what it owns, and frees a handle again where nobody else has the memory, hits no other buffer. */
    @Test
    void freesByAddressOnly(MeshDevice mesh) {
        for (int round = 0; round < 3; round++) {
            MeshBuffer buffer = mesh.allocate(BufferType.L1, 131_072);
            free(mesh, buffer);
            buffer.deallocate();
        }
        MeshBuffer last = mesh.allocate(BufferType.L1, 131_072);
        free(mesh, last);
    }

    /** A handle knows of its own free, so a second one does nothing to the buffer that has the memory by then. */
    @Test
    void freesAHandleTwice(MeshDevice mesh) {
        MeshBuffer buffer = mesh.allocate(BufferType.L1, 131_072);
        buffer.deallocate();
        MeshBuffer next = mesh.allocate(BufferType.L1, 131_072);
        buffer.deallocate();
        next.deallocate();
    }

    private static MeshBuffer moved(MeshDevice mesh, MeshBuffer input) {
        free(mesh, input);
        return mesh.allocate(input.type(), input.size());
    }

    private static void free(MeshDevice mesh, MeshBuffer buffer) {
        mesh.deallocateAddress(buffer.type(), buffer.address());
    }
}
