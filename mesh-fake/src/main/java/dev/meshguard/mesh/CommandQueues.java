package dev.meshguard.mesh;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.SubDeviceId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The command queues of one mesh, and their shared state: which queue has work on which sub-device.
 *
 * <p>Guarded by the lock of the mesh. Sources: {@code tt_metal/distributed/mesh_device.cpp} and
 * {@code tt_metal/impl/dispatch/cq_shared_state.hpp}.
 */
final class CommandQueues {

    private final MeshDevice mesh;
    private List<MeshCommandQueue> queues = List.of();
    private List<SubDeviceUse> subDevices = List.of();

    CommandQueues(MeshDevice mesh) {
        this.mesh = mesh;
    }

    void open(int number) {
        List<MeshCommandQueue> opened = new ArrayList<>(number);
        for (int id = 0; id < number; id++) {
            opened.add(new MeshCommandQueue(mesh, this, id));
        }
        queues = List.copyOf(opened);
        shareAmong(1);
    }

    int size() {
        return queues.size();
    }

    /**
     * Returns a queue.
     *
     * @throws MeshRuntimeException if there is no queue of this number, or the mesh is closed
     */
    MeshCommandQueue queue(int id) {
        if (id < 0 || id >= queues.size()) {
            throw new MeshRuntimeException(DispatchMessages.queueOutOfRange(id));
        }
        return queues.get(id);
    }

    /**
     * Checks that no other mesh of the family uses a queue that this one uses, because the devices could not be left in a
     * consistent state.
     *
     * @throws MeshRuntimeException if one does
     */
    void requireNoConflict() {
        for (MeshCommandQueue queue : queues) {
            if (queue.isInUse()) {
                requireNoConflict(queue.id());
            }
        }
    }

    private void requireNoConflict(int queue) {
        for (Optional<MeshDevice> ancestor = mesh.parent();
                ancestor.isPresent();
                ancestor = ancestor.get().parent()) {
            if (ancestor.get().queues().isInUse(queue)) {
                throw new MeshRuntimeException(DispatchMessages.queueInUseByParent(
                        queue, ancestor.get().id(), mesh.id()));
            }
        }
        descendants(mesh)
                .filter(submesh -> submesh.queues().isInUse(queue))
                .findFirst()
                .ifPresent(submesh -> {
                    throw new MeshRuntimeException(DispatchMessages.queueInUseByChild(queue, submesh.id(), mesh.id()));
                });
    }

    private boolean isInUse(int queue) {
        return queue < queues.size() && queues.get(queue).isInUse();
    }

    /** The meshes below a mesh, each before those below it. */
    private static Stream<MeshDevice> descendants(MeshDevice mesh) {
        return mesh.submeshes().stream().flatMap(submesh -> Stream.concat(Stream.of(submesh), descendants(submesh)));
    }

    /**
     * Waits until all queues of the mesh and of its submeshes have finished their work, and marks them as unused.
     *
     * @throws MeshRuntimeException if a trace is being captured
     */
    void quiesce() {
        List<MeshCommandQueue> used =
                queues.stream().filter(MeshCommandQueue::isInUse).toList();
        if (!used.isEmpty()) {
            requireNotCapturing();
            shareAmong(mesh.subDevices().active().numSubDevices());
        }
        used.forEach(MeshCommandQueue::rest);
    }

    /**
     * Prepares all queues for another sub-device manager, after which all count as used.
     *
     * @throws MeshRuntimeException if a trace is being captured
     */
    void resetWorkers(int numSubDevices) {
        requireNotCapturing();
        shareAmong(numSubDevices);
        queues.forEach(MeshCommandQueue::markUsed);
    }

    /** Closes the queues; each logs the reads that were never waited for. */
    void close() {
        queues.forEach(MeshCommandQueue::close);
        queues = List.of();
    }

    /** The queue that records a trace, if one does. */
    Optional<MeshCommandQueue> recording() {
        return queues.stream().filter(queue -> queue.traceId().isPresent()).findFirst();
    }

    SubDeviceUse use(SubDeviceId subDevice) {
        return subDevices.get(subDevice.value());
    }

    List<SubDeviceUse> uses() {
        return subDevices;
    }

    private void requireNotCapturing() {
        if (recording().isPresent()) {
            throw new MeshRuntimeException(DispatchMessages.RESET_DURING_CAPTURE);
        }
    }

    private void shareAmong(int numSubDevices) {
        List<SubDeviceUse> unused = new ArrayList<>();
        for (int subDevice = 0; subDevice < numSubDevices; subDevice++) {
            unused.add(new SubDeviceUse());
        }
        subDevices = unused;
    }
}
