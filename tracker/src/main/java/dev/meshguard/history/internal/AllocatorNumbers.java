package dev.meshguard.history.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.MemoryRequest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the allocators that reports about one device name, so that a ledger entry holds its allocator without an object.
 *
 * <p>A report may name an allocator in part: the mesh alone, or nothing. It may then be about any allocator that
 * matches. Guarded by the owner's lock.
 */
public final class AllocatorNumbers {

    /** Represents an unknown allocator. */
    public static final int UNKNOWN = 0;

    /** The maximum number, which bounds the memory for names; further allocators are unknown. */
    private static final int MAX = 0xFFFF;

    /** Represents circular buffers, which belong to no allocator, so that no named allocator matches them. */
    private static final int NONE = 1;

    private static final int FIRST = 2;

    private record Name(OptionalInt mesh, Optional<AllocatorId> allocator) {

        private boolean mayBe(Name other) {
            return (mesh.isEmpty() || other.mesh.isEmpty() || mesh.equals(other.mesh))
                    && AllocatorId.mayBeOne(allocator, other.allocator);
        }

        /** Returns the combination of both names; a device's own allocator belongs to no mesh. */
        private Name and(Name other) {
            Optional<AllocatorId> joined = allocator.or(other::allocator);
            boolean isOfADevice = joined.filter(AllocatorId.DEVICE::equals).isPresent();
            return new Name(isOfADevice ? OptionalInt.empty() : mesh.isPresent() ? mesh : other.mesh, joined);
        }
    }

    private final Map<Name, Integer> numbers = new HashMap<>();
    private final List<Name> names = new ArrayList<>(1);
    /** The numbers of closed allocators; their remaining entries match any allocator. */
    private final BitSet closed = new BitSet();

    /** Returns the number of the allocator that a report is about, from 0. */
    public int of(@Nullable MemoryRequest request) {
        if (request == null) {
            return UNKNOWN;
        }
        AllocationDetails details = request.details();
        if (details.kind() == BufferKind.CIRCULAR_BUFFER) {
            return NONE;
        }
        return numberOf(new Name(details.mesh(), details.allocator()));
    }

    /** Returns the number of a name, which is new if the name was not used before. */
    private int numberOf(Name name) {
        if (name.mesh().isEmpty() && name.allocator().isEmpty()) {
            return UNKNOWN;
        }
        Integer number = numbers.get(name);
        if (number != null) {
            return number;
        }
        int next = FIRST + names.size();
        if (next > MAX) {
            return UNKNOWN;
        }
        names.add(name);
        numbers.put(name, next);
        return next;
    }

    /** Returns whether reports named more than one allocator. */
    boolean areSeveral() {
        return names.size() > 1;
    }

    /** Returns the number of the allocator that an allocation is about; the allocator is then open. */
    public int ofAllocation(@Nullable MemoryRequest request) {
        int number = of(request);
        if (!closed.isEmpty()) {
            closed.clear(number);
        }
        return number;
    }

    /** Records the close of a mesh, which ends its allocators. */
    public void meshClosed(int mesh) {
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).mesh().equals(OptionalInt.of(mesh))) {
                closed.set(FIRST + i);
            }
        }
    }

    /** Records the close of the device, which ends its own allocator. */
    public void deviceClosed() {
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).allocator().filter(AllocatorId.DEVICE::equals).isPresent()) {
                closed.set(FIRST + i);
            }
        }
    }

    /**
     * Returns whether an entry and a report may belong to one allocator.
     *
     * <p>Remaining entries of a closed allocator match by address alone: the allocator that reserves the address now
     * has the memory.
     */
    public boolean mayBeOne(int one, int other) {
        if (one == other || one == UNKNOWN || other == UNKNOWN || closed.get(one)) {
            return true;
        }
        if (one == NONE || other == NONE) {
            return name(one == NONE ? other : one).allocator().isEmpty();
        }
        return name(one).mayBe(name(other));
    }

    /** Returns the number of the combined name of two allocators that may be one. */
    public int joined(int known, int other) {
        if (known == other || other < FIRST || known == NONE) {
            return known;
        }
        if (known == UNKNOWN) {
            return other;
        }
        return name(known).mayBe(name(other)) ? numberOf(name(known).and(name(other))) : UNKNOWN;
    }

    /** Returns whether two numbers represent two allocators whose memories may overlap. */
    public boolean mayOverlap(int one, int other) {
        if (one < FIRST || other < FIRST || closed.get(one) || closed.get(other) || mayBeOne(one, other)) {
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
