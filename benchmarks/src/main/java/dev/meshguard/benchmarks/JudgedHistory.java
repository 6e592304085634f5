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
import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Histories for verdicts; each creation returns the same ones. */
public enum JudgedHistory {
    /** A million events on eight devices: 500,000 lives of 100 lines of code, of which 1,000 are left. */
    MILLION_EVENTS {
        @Override
        void run(AllocationTracker tracker) {
            open(tracker, 0);
            churn(tracker, 0, EVENTS / 2 / DEVICES.size(), 500);
            close(tracker, 0);
        }
    },
    /** A million events of five meshes one after another, with owners, submeshes over them and full witness readings. */
    SEVERAL_MESHES {
        @Override
        void run(AllocationTracker tracker) {
            for (int mesh = 0; mesh < 5; mesh++) {
                open(tracker, mesh);
                tracker.meshOpened(MeshDescription.of(100 + mesh, "1x4 submesh", DEVICES.subList(0, 4))
                        .withParent(mesh));
                churn(tracker, mesh, EVENTS / 2 / 5 / DEVICES.size(), 50);
                tracker.meshClosing(100 + mesh);
                tracker.meshClosed(100 + mesh);
                close(tracker, mesh);
            }
        }
    };

    private static final int EVENTS = 1_000_000;
    private static final long PAGE = 4096;
    private static final int LIVE = 1_000;
    private static final int LINES = 100;
    private static final int DEPTH = 12;
    private static final List<Integer> DEVICES = List.of(0, 1, 2, 3, 4, 5, 6, 7);

    abstract void run(AllocationTracker tracker);

    /** Returns the history. */
    public AllocationHistory history() {
        AllocationTracker tracker = AllocationTracker.create();
        run(tracker);
        return tracker.history();
    }

    private static void open(AllocationTracker tracker, int mesh) {
        tracker.meshOpened(MeshDescription.of(mesh, "2x4 mesh", DEVICES));
        DEVICES.forEach(tracker::deviceOpened);
        tracker.phase(Phase.TEST);
    }

    /** Takes and gives back mesh buffers, and forgets one of so many. */
    private static void churn(AllocationTracker tracker, int mesh, int buffers, int forgotten) {
        Deque<Long> live = new ArrayDeque<>();
        AllocationDetails plain = AllocationDetails.user().onMesh(mesh);
        for (int buffer = 0; buffer < buffers; buffer++) {
            if (live.size() == LIVE) {
                free(tracker, plain, live.remove());
            }
            AllocationDetails details =
                    buffer % 3 == 0 ? plain.ownedBy(Owner.program(mesh + "-" + buffer % 500)) : plain;
            MemoryRequest request = request(details, buffer % LINES);
            boolean isForgotten = buffer % forgotten == 3;
            long address = isForgotten ? (1L << 32) + PAGE * buffer : PAGE * (buffer % (LIVE * 2));
            for (int device : DEVICES) {
                tracker.allocated(request, device, BufferType.DRAM, address, PAGE, Ownership.NON_OWNING);
            }
            if (!isForgotten) {
                live.add(address);
            }
        }
        live.forEach(address -> free(tracker, plain, address));
    }

    private static void free(AllocationTracker tracker, AllocationDetails details, long address) {
        MemoryRequest release = MemoryRequest.restored(details, Optional.empty());
        for (int device : DEVICES) {
            tracker.freed(release, device, BufferType.DRAM, address, Ownership.NON_OWNING);
        }
    }

    private static void close(AllocationTracker tracker, int mesh) {
        List<Long> left = new ArrayList<>();
        tracker.history().live().stream()
                .filter(buffer -> buffer.mesh().orElse(-1) == mesh)
                .forEach(buffer -> left.add(buffer.address()));
        tracker.phase(Phase.CLOSE);
        tracker.meshClosing(mesh);
        for (WitnessSnapshot.Moment moment : WitnessSnapshot.Moment.values()) {
            boolean isWiped = moment == WitnessSnapshot.Moment.AFTER_WIPE;
            long[] taken = isWiped
                    ? new long[0]
                    : left.stream().mapToLong(Long::longValue).toArray();
            tracker.witnessed(WitnessSnapshot.of(mesh, moment).region(DEVICES, BufferType.DRAM, taken));
        }
        DEVICES.forEach(tracker::deviceClosed);
        tracker.meshClosed(mesh);
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
