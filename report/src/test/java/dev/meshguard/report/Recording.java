package dev.meshguard.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Records events of a test, as if a class called {@code KvCacheTest} had allocated. */
final class Recording {

    private static final Instant TODAY = Instant.parse("2026-11-20T12:00:00Z");

    private final AllocationTracker tracker = AllocationTracker.builder()
            .originCapture(OriginCapture.NONE)
            .clock(() -> TODAY)
            .build();

    private final List<MeshDescription> open = new ArrayList<>();

    /** Opens a mesh over the devices from 0 on, and begins the test. */
    static Recording onMeshOf(int devices) {
        Recording recording = new Recording();
        recording.open(MeshDescription.of(
                0, "1x" + devices + " mesh", IntStream.range(0, devices).boxed().toList()));
        recording.tracker.phase(Phase.TEST);
        return recording;
    }

    AllocationTracker tracker() {
        return tracker;
    }

    AllocationHistory history() {
        return tracker.history();
    }

    void open(MeshDescription mesh) {
        tracker.meshOpened(mesh);
        open.add(mesh);
    }

    /** Returns a request that a line of the class made. */
    MemoryRequest atLine(int line, AllocationDetails details) {
        var frame = new StackTraceElement("dev.example.KvCacheTest", "decode", "KvCacheTest.java", line);
        return MemoryRequest.restored(details, Optional.of(Origin.of(frame)));
    }

    /** Reports one allocation of 1 KiB at one address of some devices. */
    void take(MemoryRequest request, BufferType type, long address, Ownership ownership, int... devices) {
        for (int device : devices) {
            inThisOrder();
            tracker.allocated(request, device, type, address, 1024, ownership);
        }
    }

    /** Reports allocations of single devices from one line. */
    void takeOneByOne(int line, AllocationDetails details, long address, int... devices) {
        for (int device : devices) {
            take(atLine(line, details), BufferType.DRAM, address, Ownership.OWNING, device);
        }
    }

    /** Reports a free at one address of some devices. */
    void free(BufferType type, long address, Ownership ownership, int... devices) {
        inThisOrder();
        MemoryRequest release = tracker.release(AllocationDetails.user());
        for (int device : devices) {
            inThisOrder();
            tracker.freed(release, device, type, address, ownership);
        }
    }

    /** Closes mesh 0 without a snapshot of its allocator, and makes the check. */
    void close() {
        tracker.phase(Phase.CLOSE);
        tracker.meshClosing(0);
        tracker.meshClosed(0);
        tracker.checked();
    }

    /**
     * Closes mesh 0, whose allocator still has some DRAM addresses on some devices at a moment of the close, and makes
     * the check.
     */
    void closeHolding(Moment moment, int[] holders, long... taken) {
        tracker.phase(Phase.CLOSE);
        closeMeshHolding(0, moment, holders, taken);
        tracker.checked();
    }

    /** Closes one mesh. */
    void closeMeshHolding(int id, Moment moment, int[] holders, long... taken) {
        MeshDescription mesh =
                open.stream().filter(one -> one.id() == id).findFirst().orElseThrow();
        tracker.meshClosing(id);
        WitnessSnapshot reading = WitnessSnapshot.of(id, moment);
        for (int device : mesh.devices()) {
            boolean holds = IntStream.of(holders).anyMatch(holder -> holder == device);
            reading = reading.region(device, BufferType.DRAM, holds ? taken : new long[0]);
        }
        tracker.witnessed(reading);
        tracker.meshClosed(id);
    }

    /** Requests determine the order of events; without a request for a report, the order of the devices would. */
    private void inThisOrder() {
        tracker.request(AllocationDetails.user().labelled("order"));
    }
}
