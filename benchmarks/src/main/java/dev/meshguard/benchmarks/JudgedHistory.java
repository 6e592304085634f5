package dev.meshguard.benchmarks;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** A million events on eight devices: 500,000 lives of 100 lines of code, of which 1,000 are left. */
final class JudgedHistory {

    private static final int EVENTS = 1_000_000;
    private static final long PAGE = 4096;
    private static final int LIVE = 1_000;
    private static final int LINES = 100;
    private static final int DEPTH = 12;
    private static final int FORGOTTEN = 500;
    private static final int MESH = 0;
    private static final List<Integer> DEVICES = List.of(0, 1, 2, 3, 4, 5, 6, 7);

    private final AllocationTracker tracker = AllocationTracker.create();

    private JudgedHistory() {}

    /** Returns the history, which is the same each time. */
    static AllocationHistory create() {
        JudgedHistory judged = new JudgedHistory();
        judged.open();
        judged.churn();
        judged.close();
        return judged.tracker.history();
    }

    private void open() {
        tracker.meshOpened(MeshDescription.of(MESH, "2x4 mesh", DEVICES));
        DEVICES.forEach(tracker::deviceOpened);
        tracker.phase(Phase.TEST);
    }

    /** Takes and gives back mesh buffers, and forgets one of so many. */
    private void churn() {
        Deque<Long> live = new ArrayDeque<>();
        AllocationDetails plain = AllocationDetails.user().onMesh(MESH);
        for (int buffer = 0; buffer < EVENTS / 2 / DEVICES.size(); buffer++) {
            if (live.size() == LIVE) {
                free(plain, live.remove());
            }
            AllocationDetails details =
                    buffer % 3 == 0 ? plain.ownedBy(Owner.program(MESH + "-" + buffer % 500)) : plain;
            MemoryRequest request = request(details, buffer % LINES);
            boolean isForgotten = buffer % FORGOTTEN == 3;
            long address = isForgotten ? (1L << 32) + PAGE * buffer : PAGE * (buffer % (LIVE * 2));
            for (int device : DEVICES) {
                tracker.allocated(request, device, BufferType.DRAM, address, PAGE, Ownership.NON_OWNING);
            }
            if (!isForgotten) {
                live.add(address);
            }
        }
        live.forEach(address -> free(plain, address));
    }

    private void free(AllocationDetails details, long address) {
        MemoryRequest release = MemoryRequest.restored(details, Optional.empty());
        for (int device : DEVICES) {
            tracker.freed(release, device, BufferType.DRAM, address, Ownership.NON_OWNING);
        }
    }

    private void close() {
        long[] left = tracker.history().live().stream()
                .mapToLong(BufferGeneration::address)
                .toArray();
        tracker.phase(Phase.CLOSE);
        tracker.meshClosing(MESH);
        for (WitnessSnapshot.Moment moment : WitnessSnapshot.Moment.values()) {
            boolean isWiped = moment == WitnessSnapshot.Moment.AFTER_WIPE;
            long[] taken = isWiped ? new long[0] : left;
            tracker.witnessed(WitnessSnapshot.of(MESH, moment).region(DEVICES, BufferType.DRAM, taken));
        }
        DEVICES.forEach(tracker::deviceClosed);
        tracker.meshClosed(MESH);
        tracker.checked();
    }

    private static MemoryRequest request(AllocationDetails details, int line) {
        List<StackTraceElement> frames = new ArrayList<>();
        frames.add(new StackTraceElement("dev.example.Model" + line, "decode", "Model" + line + ".java", line + 1));
        for (int depth = 1; depth < DEPTH; depth++) {
            frames.add(new StackTraceElement("dev.example.Caller" + depth, "call", "Caller.java", depth));
        }
        return MemoryRequest.restored(details, Optional.of(new Origin(frames)));
    }
}
