package dev.meshguard.mesh.internal.dispatch;

import dev.meshguard.event.MemoryRequest;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.context.MeshContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The command queues of one mesh: rejects conflicts with related meshes, and records which queue works on which sub-device.
 *
 * <p>Guarded by the lock of the mesh. Sources: {@code tt_metal/distributed/mesh_device.cpp} and
 * {@code tt_metal/impl/dispatch/cq_shared_state.hpp}.
 */
public final class CommandQueues {

    private final MeshContext mesh;
    private final Optional<CommandQueues> parent;
    private final List<CommandQueues> ofSubmeshes = new ArrayList<>();
    private List<CommandQueue> queues = List.of();
    private List<SubDeviceUse> subDevices = List.of();

    /** Creates the queues of a mesh that is not open yet. */
    public CommandQueues(MeshContext mesh, Optional<CommandQueues> parent) {
        this.mesh = mesh;
        this.parent = parent;
        parent.ifPresent(queuesAbove -> queuesAbove.ofSubmeshes.add(this));
    }

    /** Takes the queues of a destroyed submesh out of the family. */
    public void leaveFamily() {
        parent.ifPresent(queuesAbove -> queuesAbove.ofSubmeshes.remove(this));
    }

    public void open(int number) {
        List<CommandQueue> opened = new ArrayList<>(number);
        for (int id = 0; id < number; id++) {
            opened.add(new CommandQueue(mesh, this, id));
        }
        queues = List.copyOf(opened);
        shareAmong(1);
    }

    public List<CommandQueue> all() {
        return queues;
    }

    /**
     * Returns a queue.
     *
     * @throws MeshRuntimeException if there is no queue of this number, or the mesh is closed
     */
    public CommandQueue queue(int id) {
        if (id < 0 || id >= queues.size()) {
            throw new MeshRuntimeException("cq_id %d is out of range", id);
        }
        return queues.get(id);
    }

    /**
     * Checks that no other mesh of the family uses a queue that this one uses, because the devices could not be left in a
     * consistent state.
     *
     * @throws MeshRuntimeException if one does
     */
    public void requireNoConflict() {
        for (CommandQueue queue : queues) {
            if (queue.isInUse()) {
                requireNoConflict(queue.id());
            }
        }
    }

    private void requireNoConflict(int queue) {
        for (Optional<CommandQueues> above = parent; above.isPresent(); above = above.get().parent) {
            if (above.get().isInUse(queue)) {
                throw new MeshRuntimeException(
                        "MeshDevice cq ID %d is in use by parent mesh ID %d during close of mesh ID %d",
                        queue, above.get().mesh.id(), mesh.id());
            }
        }
        descendants().filter(below -> below.isInUse(queue)).findFirst().ifPresent(below -> {
            throw new MeshRuntimeException(
                    "MeshDevice cq ID %d is in use by child submesh ID %d during close of mesh ID %d",
                    queue, below.mesh.id(), mesh.id());
        });
    }

    /** Returns the meshes below this one that are open, each before those below it. */
    public List<MeshContext> openSubmeshes() {
        return descendants()
                .map(below -> below.mesh)
                .filter(below -> below.state().isInitialised())
                .toList();
    }

    private Stream<CommandQueues> descendants() {
        return ofSubmeshes.stream().flatMap(below -> Stream.concat(Stream.of(below), below.descendants()));
    }

    private boolean isInUse(int queue) {
        return queue < queues.size() && queues.get(queue).isInUse();
    }

    /**
     * Waits until all queues of the mesh and of its submeshes have finished their work, and marks them as unused.
     *
     * @throws MeshRuntimeException if a trace is being captured
     */
    public void quiesce() {
        List<CommandQueue> used = queues.stream().filter(CommandQueue::isInUse).toList();
        if (!used.isEmpty()) {
            requireNotCapturing();
            shareAmong(mesh.subDevices().active().numSubDevices());
        }
        used.forEach(CommandQueue::rest);
    }

    /**
     * Prepares all queues for another sub-device manager, after which all count as used.
     *
     * @throws MeshRuntimeException if a trace is being captured
     */
    public void resetWorkers(int numSubDevices) {
        requireNotCapturing();
        shareAmong(numSubDevices);
        queues.forEach(CommandQueue::markUsed);
    }

    /** Closes the queues; each logs the reads that were never waited for. */
    public void close() {
        queues.forEach(CommandQueue::close);
        queues = List.of();
    }

    /** Reports that a buffer is read, unless a queue records a trace. */
    public void readsNow(Allocation buffer) {
        if (recording().isEmpty()) {
            reportReads(mesh.traceResults().in(buffer));
        }
    }

    /** Returns the requests for the memory of a buffer: its own or that which a view points to, and results of traces. */
    public List<MemoryRequest> requestsAt(Allocation buffer) {
        return Stream.concat(Stream.of(mesh.memory().holderOf(buffer)), mesh.traceResults().in(buffer).stream())
                .flatMap(there -> there.request().stream())
                .distinct()
                .toList();
    }

    void reportReads(Collection<Allocation> results) {
        results.stream()
                .flatMap(result -> result.request().stream())
                .forEach(mesh.reports().listener()::resultRead);
    }

    /** The queue that records a trace, if one does. */
    Optional<CommandQueue> recording() {
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
            throw new MeshRuntimeException("Cannot reset worker state during trace capture");
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
