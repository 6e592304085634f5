package dev.meshguard.mesh;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/** Records every call of a mesh as one line. */
final class RecordedReports implements AllocationListener {

    private final List<String> lines = new ArrayList<>();
    private final List<AllocationDetails> requests = new ArrayList<>();
    private final List<AllocationDetails> releases = new ArrayList<>();
    private final List<WitnessSnapshot> readings = new ArrayList<>();
    private final List<MeshDescription> meshes = new ArrayList<>();

    /** Everything since the last call of {@link #forget()}. */
    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /** The lines that begin so. */
    synchronized List<String> lines(String beginning) {
        return lines.stream().filter(line -> line.startsWith(beginning)).toList();
    }

    synchronized List<AllocationDetails> requests() {
        return List.copyOf(requests);
    }

    synchronized List<AllocationDetails> releases() {
        return List.copyOf(releases);
    }

    synchronized List<WitnessSnapshot> readings() {
        return List.copyOf(readings);
    }

    /** The addresses that an allocator listed for a device at a moment of the first close. */
    synchronized List<Long> listed(Moment moment, AllocatorId allocator, int device, BufferType memory) {
        return readings.stream()
                .filter(reading ->
                        reading.moment() == moment && reading.allocator().equals(Optional.of(allocator)))
                .findFirst()
                .orElseThrow()
                .allocatedAddresses(device, memory);
    }

    synchronized List<MeshDescription> meshes() {
        return List.copyOf(meshes);
    }

    synchronized void forget() {
        lines.clear();
        requests.clear();
        releases.clear();
    }

    @Override
    public synchronized MemoryRequest request(AllocationDetails details) {
        requests.add(details);
        return MemoryRequest.of(details);
    }

    @Override
    public synchronized MemoryRequest release(AllocationDetails details) {
        releases.add(details);
        return MemoryRequest.of(details);
    }

    @Override
    public synchronized void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        lines.add("allocated %d %s %d+%d %s".formatted(device, type, address, size, ownership));
    }

    @Override
    public synchronized void freed(
            MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        lines.add("freed %d %s %d %s".formatted(device, type, address, ownership));
    }

    @Override
    public synchronized void freeIgnored(
            MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {
        lines.add("ignored %d %s %d %s".formatted(device, type, address, reason));
    }

    @Override
    public synchronized Scope phase(Phase phase) {
        lines.add("phase " + phase);
        return () -> ended(phase);
    }

    private synchronized void ended(Phase phase) {
        lines.add("end of phase " + phase);
    }

    @Override
    public synchronized void meshOpened(MeshDescription mesh) {
        meshes.add(mesh);
        lines.add("opened mesh " + mesh.id());
    }

    @Override
    public synchronized void meshClosing(int mesh) {
        lines.add("closing mesh " + mesh);
    }

    @Override
    public synchronized void meshClosed(int mesh) {
        lines.add("closed mesh " + mesh);
    }

    @Override
    public synchronized void reported(LongFunction<HistoryEvent> event) {
        HistoryEvent read = event.apply(0);
        if (read instanceof HistoryEvent.OwnerCached cached) {
            lines.add("cached %s in %s".formatted(cached.owner(), cached.cache()));
        } else if (read instanceof HistoryEvent.OwnerEnded ended) {
            lines.add("ended " + ended.owner());
        } else if (read instanceof HistoryEvent.DeviceOpened opened) {
            lines.add("opened device " + opened.device());
        } else if (read instanceof HistoryEvent.DeviceClosed closed) {
            lines.add("closed device " + closed.device());
        } else if (read instanceof HistoryEvent.Witnessed witnessed) {
            readings.add(witnessed.snapshot());
            lines.add("witnessed " + witnessed.snapshot().moment());
        } else if (read instanceof HistoryEvent.ReportsLost lost) {
            lines.add("lost %d: %s".formatted(lost.count(), lost.reason()));
        }
    }
}
