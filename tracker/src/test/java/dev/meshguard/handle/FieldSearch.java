package dev.meshguard.handle;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Reachability;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.util.List;
import java.util.Optional;

/** Loses buffers and searches for their handles, with simulated garbage collections. */
final class FieldSearch {

    private final AllocationTracker tracker;
    private long nextAddress = 0x1000;
    private List<String> unread = List.of();

    /** Searches from its roots only, as no stacks are known. */
    FieldSearch() {
        this(OriginCapture.NONE);
    }

    FieldSearch(OriginCapture origins) {
        this.tracker = AllocationTracker.builder().originCapture(origins).build();
    }

    AllocationTracker tracker() {
        return tracker;
    }

    /** Allocates a buffer that is never freed. */
    MemoryRequest allocate(Object handle) {
        MemoryRequest request = tracker.request(AllocationDetails.user().onMesh(0));
        tracker.allocated(request, 0, BufferType.DRAM, nextAddress, 64, Ownership.OWNING);
        tracker.handleReturned(request, handle);
        nextAddress += 64;
        return request;
    }

    void run(HandleSearch configured) {
        unread = configured.trace(tracker, tracker.history());
    }

    /** Returns the classes that the last search could not read. */
    List<String> unread() {
        return unread;
    }

    Reachability reachabilityOf(MemoryRequest request) {
        return tracker.history().reachabilityOf(request).orElseThrow().reachability();
    }

    /** Returns the path to a handle that is known to be held. */
    Optional<String> path(HandleSearch configured, Object handle) {
        MemoryRequest request = allocate(handle);
        run(configured.collectingBy(() -> true));
        return reachabilityOf(request).pathText();
    }

    Optional<String> pathFrom(Object root, Object handle) {
        return path(HandleSearch.from(root), handle);
    }
}
