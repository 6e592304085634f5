package dev.meshguard.tracker.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.tracker.AllocationRequest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the allocators that reports about one device name, so that an entry of a ledger holds its allocator in a few bits.
 *
 * <p>A report may name an allocator in part: the mesh alone, or nothing. It may then be about any allocator that its words fit.
 * Guarded by the owner's lock.
 */
public final class AllocatorNumbers {

    /** Stands for an allocator of which nothing is known. */
    public static final int UNKNOWN = 0;

    /** The largest number: entries keep it in 16 bits. Whoever would get a larger one is unknown. */
    public static final int MAX = 0xFFFF;

    /** Stands for circular buffers, which no allocator knows, so that none that is named is theirs. */
    private static final int NONE = 1;

    private static final int FIRST = 2;

    private record Name(OptionalInt mesh, Optional<AllocatorId> allocator) {

        private boolean mayBe(Name other) {
            return (mesh.isEmpty() || other.mesh.isEmpty() || mesh.equals(other.mesh))
                    && AllocatorId.mayBeOne(allocator, other.allocator);
        }

        /** Returns what both say; a device's own allocator belongs to no mesh. */
        private Name and(Name other) {
            Optional<AllocatorId> joined = allocator.or(other::allocator);
            boolean isOfADevice = joined.filter(AllocatorId.DEVICE::equals).isPresent();
            return new Name(isOfADevice ? OptionalInt.empty() : mesh.isPresent() ? mesh : other.mesh, joined);
        }
    }

    private @Nullable Map<Name, Integer> numbers;
    private final List<Name> names = new ArrayList<>(1);
    /** The numbers of allocators that are gone; what they left in the books may be anybody's. */
    private final BitSet gone = new BitSet();

    /** The last answer: nearly every report asks what the one before it asked. */
    private OptionalInt lastMesh = OptionalInt.empty();

    private Optional<AllocatorId> lastAllocator = Optional.empty();
    private int last = UNKNOWN;

    /** Returns the number of the allocator that a report is about, from 0. */
    public int of(@Nullable AllocationRequest request) {
        if (request == null) {
            return UNKNOWN;
        }
        AllocationDetails details = request.details();
        if (details.kind() == BufferKind.CIRCULAR_BUFFER) {
            return NONE;
        }
        OptionalInt mesh = details.mesh();
        Optional<AllocatorId> allocator = details.allocator();
        if (!lastAllocator.equals(allocator) || !lastMesh.equals(mesh)) {
            last = find(new Name(mesh, allocator));
            lastMesh = mesh;
            lastAllocator = allocator;
        }
        return last;
    }

    private int find(Name name) {
        if (name.mesh().isEmpty() && name.allocator().isEmpty()) {
            return UNKNOWN;
        }
        Map<Name, Integer> known = numbers;
        if (known == null) {
            known = new HashMap<>(4);
            numbers = known;
        }
        Integer number = known.get(name);
        if (number != null) {
            return number;
        }
        int next = FIRST + names.size();
        if (next > MAX) {
            return UNKNOWN;
        }
        names.add(name);
        known.put(name, next);
        return next;
    }

    /** Returns whether reports named more than one. */
    boolean areSeveral() {
        return names.size() > 1;
    }

    /** Returns the number of the allocator that an allocation is about, which is there then. */
    public int ofAllocation(@Nullable AllocationRequest request) {
        int number = of(request);
        if (!gone.isEmpty()) {
            gone.clear(number);
        }
        return number;
    }

    /** Notes that a mesh was closed, and its allocators with it. */
    public void meshClosed(int mesh) {
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).mesh().equals(OptionalInt.of(mesh))) {
                gone.set(FIRST + i);
            }
        }
    }

    /** Notes that the device was closed, and its own allocator with it. */
    public void deviceClosed() {
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).allocator().filter(AllocatorId.DEVICE::equals).isPresent()) {
                gone.set(FIRST + i);
            }
        }
    }

    /**
     * Returns whether an entry and a report may be of one allocator. What an allocator left that is gone matches by its address
     * alone: whoever reserves it now has the memory.
     */
    public boolean mayBeOne(int one, int other) {
        if (one == other || one == UNKNOWN || other == UNKNOWN || gone.get(one)) {
            return true;
        }
        if (one == NONE || other == NONE) {
            return name(one == NONE ? other : one).allocator().isEmpty();
        }
        return name(one).mayBe(name(other));
    }

    /** Returns the number of what two that may be one say together. */
    public int joined(int known, int other) {
        if (known == other || other < FIRST || known == NONE) {
            return known;
        }
        if (known == UNKNOWN) {
            return other;
        }
        return name(known).mayBe(name(other)) ? find(name(known).and(name(other))) : UNKNOWN;
    }

    /** Returns whether two numbers stand for two allocators whose memories may overlap. */
    public boolean mayOverlap(int one, int other) {
        if (one < FIRST || other < FIRST || gone.get(one) || gone.get(other) || mayBeOne(one, other)) {
            return false;
        }
        Name name = name(one);
        Name otherName = name(other);
        boolean areApart = name.mesh().equals(otherName.mesh())
                && name.allocator().isPresent()
                && otherName.allocator().isPresent()
                && name.allocator().get().isDistinctFrom(otherName.allocator().get());
        return !areApart;
    }

    private Name name(int number) {
        return names.get(number - FIRST);
    }
}
