package dev.meshguard.mesh.internal.allocation;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.handle.NotSearched;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.buffer.BufferConfig;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one buffer of the mesh without hardware, and whether it is freed: of a buffer on all devices, of one on
 * a single device, or of a view.
 *
 * <p>Separate from the handle of the code under test, so that the runtime keeps no lost handle reachable. Any thread may read
 * whether the block is freed; it changes under the lock of its mesh.
 */
@NotSearched
public final class Allocation {

    /** The owner of the memory, which decides what the mesh reports about it. */
    public enum Kind {
        /** Memory of the mesh's own allocator, at the same address on every device. */
        LOCK_STEP,
        /** Memory of one device's allocator. */
        ON_ONE_DEVICE,
        /** An address on some devices that another allocation owns. */
        VIEW,
        /** An address that another allocation owns, used by a buffer of the mesh itself. */
        VIEW_ON_MESH
    }

    /** The reason for the end of a buffer. */
    public enum ReleaseReason {
        /** The code under test freed it. */
        DEALLOCATED,
        /** Its owner was destroyed. */
        DIED,
        /** Nobody had a handle to it any more, and the last one was collected. */
        COLLECTED
    }

    private final Kind kind;
    private final AllocationDetails details;
    private final List<Integer> devices;
    private final BufferConfig config;
    private final long address;
    private final @Nullable Allocator allocator;
    private volatile boolean freed;
    private volatile boolean freedByAddress;
    private volatile @Nullable MemoryRequest freedBy;
    private volatile @Nullable BufferState openPeriod;
    /** Stored until the free. */
    private volatile @Nullable MemoryRequest request;

    private volatile boolean handedOut;

    /**
     * Creates the record of a buffer.
     *
     * @param allocator the allocator that reserved its memory, or null for a view and for a buffer without content, which
     *     neither allocators nor listeners receive
     */
    public Allocation(
            Kind kind,
            AllocationDetails details,
            List<Integer> devices,
            BufferConfig config,
            long address,
            @Nullable Allocator allocator) {
        this.kind = kind;
        this.details = details;
        this.devices = devices;
        this.config = config;
        this.address = address;
        this.allocator = allocator;
    }

    public Kind kind() {
        return kind;
    }

    public AllocationDetails details() {
        return details;
    }

    public List<Integer> devices() {
        return devices;
    }

    public BufferConfig config() {
        return config;
    }

    public BufferType type() {
        return config.type();
    }

    public long address() {
        return address;
    }

    public long size() {
        return config.size();
    }

    /** Returns whether both have memory of one device in common. */
    public boolean meets(Allocation other) {
        return type().memory() == other.type().memory()
                && address < other.end()
                && other.address < end()
                && !Collections.disjoint(devices, other.devices);
    }

    /** The first address behind it in each bank; if nobody knows how far it reaches, behind its first byte. */
    private long end() {
        return address + Math.max(1, details.extent().orElse(1));
    }

    public boolean isFreed() {
        return freed;
    }

    public void markFreed() {
        freed = true;
        request = null;
    }

    /**
     * Marks the buffer as freed and stores the request that freed it, which may contain the call site in the code under test.
     */
    public void markFreed(MemoryRequest release) {
        freedBy = release;
        markFreed();
    }

    /** Remembers, before its free, that it is freed by its address. A handle in the runtime does not learn of that. */
    public void markFreedByAddress() {
        freedByAddress = true;
    }

    /** Remembers that its handle has freed it, or has tried to after a free by its address. */
    public void markFreedByHandle() {
        freedByAddress = false;
    }

    /** Returns whether it is or was freed by its address, and not by its handle since. */
    public boolean isFreedByAddress() {
        return freedByAddress;
    }

    /** Returns the request that freed it; empty if it was not freed, or without a report. */
    public Optional<MemoryRequest> freedBy() {
        return Optional.ofNullable(freedBy);
    }

    /**
     * Returns the end of a sentence about the free: the frame that freed the buffer, in a line of its own, or how to find it.
     * Empty if there is no request that freed it.
     */
    public String siteOfFree() {
        MemoryRequest release = freedBy;
        if (release == null) {
            return "";
        }
        return release.origin()
                .flatMap(Origin::site)
                .or(() -> openPeriod().flatMap(BufferState::lastSite))
                .map(site -> "\n   at " + site)
                .orElse(
                        "; @TrackAllocations(origins = ALLOCATIONS_AND_FREES), or a tracker with these origins, shows where");
    }

    /** Remembers by which request it was reported, until it is freed. */
    public void reportedBy(MemoryRequest reporting) {
        request = reporting;
    }

    /** Returns the request that reported it; empty if it was not reported, or was freed. */
    public Optional<MemoryRequest> request() {
        return Optional.ofNullable(request);
    }

    /** Returns the request that reported it the first time, when its handle is handed out. */
    public Optional<MemoryRequest> handOut() {
        boolean first = !handedOut;
        handedOut = true;
        return first ? request() : Optional.empty();
    }

    /** Starts to record what happens to the buffer; only a strict runtime does. */
    void beginOpenPeriod(BufferState newState) {
        openPeriod = newState;
    }

    Optional<BufferState> openPeriod() {
        return Optional.ofNullable(openPeriod);
    }

    /** The allocator that has to get the memory back, unless it is only pointed to. */
    public Optional<Allocator> allocator() {
        return Optional.ofNullable(allocator);
    }
}
