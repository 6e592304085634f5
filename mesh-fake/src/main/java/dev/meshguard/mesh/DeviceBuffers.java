package dev.meshguard.mesh;

import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.Kind;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of one mesh buffer: one on each device of the mesh in its shape at that time, and the backing buffer.
 *
 * <p>The numbers are assigned with the memory. The objects are created on first access, because most are never accessed. Safe
 * for use by several threads.
 */
@PartOfHandle
final class DeviceBuffers {

    private final MeshDevice mesh;
    private final MeshShape shape;
    private final List<Integer> devices;
    private final BufferConfig config;
    private final Allocation allocation;
    private @Nullable Buffer backing;
    private @Nullable Buffer @Nullable [] onDevices;

    DeviceBuffers(MeshDevice mesh, MeshShape shape, List<Integer> devices, BufferConfig config, Allocation allocation) {
        this.mesh = mesh;
        this.shape = shape;
        this.devices = devices;
        this.config = config;
        this.allocation = allocation;
    }

    MeshDevice mesh() {
        return mesh;
    }

    Allocation allocation() {
        return allocation;
    }

    int numDevices() {
        return devices.size();
    }

    Buffer at(MeshCoordinate coordinate) {
        return at(coordinate.toLinearIndex(shape));
    }

    synchronized Buffer at(int index) {
        if (onDevices == null) {
            onDevices = new Buffer[devices.size()];
        }
        Buffer buffer = onDevices[index];
        if (buffer == null) {
            buffer = Buffer.partOfMeshBuffer(
                    mesh, devices.get(index), allocation.idOnDevice(index), config, allocation, this);
            onDevices[index] = buffer;
        }
        return buffer;
    }

    synchronized Optional<Buffer> backing() {
        if (backing == null && allocation.kind() == Kind.LOCK_STEP) {
            backing = Buffer.backing(mesh, config, allocation, this);
        }
        return Optional.ofNullable(backing);
    }
}
