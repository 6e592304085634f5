package dev.meshguard.tracker;

import static dev.meshguard.event.HistoryEvent.NO_DEVICE;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;

/**
 * A lease in the ledger of a tracker: an entry under a number that no other lease has.
 *
 * @param number takes the place of an address
 */
record TrackedLease(
        AllocationTracker tracker, MemoryRequest request, OriginFilter callers, BufferType type, long number)
        implements Lease {

    @Override
    public Lease handedOut(Object handle) {
        tracker.handleReturned(request, handle);
        return this;
    }

    @Override
    public void freed() {
        tracker.freed(release(AllocationDetails.user()), NO_DEVICE, type, number, Ownership.UNKNOWN);
    }

    @Override
    public void freedByCollector() {
        tracker.freed(
                release(AllocationDetails.user().ofCollectedHandle()), NO_DEVICE, type, number, Ownership.UNKNOWN);
    }

    @Override
    public void freeFailed(Throwable reason) {
        MemoryRequest release = release(AllocationDetails.user().labelled(reason.toString()));
        tracker.freeIgnored(release, NO_DEVICE, type, number, IgnoredFreeReason.FAILED);
    }

    @Override
    public void resized(long bytes) {
        tracker.allocated(request, NO_DEVICE, type, number, bytes, Ownership.UNKNOWN);
    }

    private MemoryRequest release(AllocationDetails details) {
        return tracker.release(details, callers);
    }
}
