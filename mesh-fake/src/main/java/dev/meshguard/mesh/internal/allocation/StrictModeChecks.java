package dev.meshguard.mesh.internal.allocation;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.mesh.BufferMisuseException;
import dev.meshguard.mesh.BufferMisuseException.Misuse;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.internal.allocation.Allocation.Kind;
import dev.meshguard.mesh.internal.allocation.BufferState.Moment;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Records the buffers of a strict runtime and rejects their misuse.
 *
 * <p>All meshes of a runtime share one instance, because a submesh may view memory of its parent. A lenient runtime records and
 * rejects nothing. Safe for use by several threads; a thread that holds the lock of a mesh may call it.
 */
public final class StrictModeChecks {

    /** The number of freed buffers, the most recent ones, that can be found by address. */
    private static final int FREED_KEPT = 1_024;

    private static final int BUFFERS_SHOWN = 3;

    private final boolean strict;

    /** Created with minimal capacity, like the table of freed buffers, because most runtimes are lenient and record nothing. */
    private final IdentityHashMap<Allocator, Map<BufferType, NavigableMap<Long, Allocation>>> live =
            new IdentityHashMap<>(0);

    private final Deque<Allocation> freed = new ArrayDeque<>(0);

    public StrictModeChecks(boolean strict) {
        this.strict = strict;
    }

    /** Records that a buffer was allocated. */
    public void allocated(Allocation allocation, MemoryRequest request) {
        if (!strict) {
            return;
        }
        BufferState life = new BufferState();
        life.add(Moment.of(birth(allocation), request));
        allocation.beginOpenPeriod(life);
        allocation.allocator().ifPresent(allocator -> remember(allocator, allocation));
    }

    /** Records that a buffer was freed. */
    public void freed(Allocation allocation, MemoryRequest release) {
        String what = release.details().handleCollected() ? "freed when its handle was collected" : "freed";
        forget(allocation, () -> Moment.of(what, release));
    }

    /** Records that the runtime freed a buffer without a report. */
    public void freed(Allocation allocation) {
        forget(allocation, () -> Moment.now("freed by the runtime"));
    }

    /** Records that an allocator was cleared and its allocations are gone. */
    public synchronized void wiped(Allocator allocator, String because) {
        Map<BufferType, NavigableMap<Long, Allocation>> lost = live.remove(allocator);
        if (lost != null) {
            Moment moment = Moment.now(because);
            lost.values().stream()
                    .flatMap(ofType -> ofType.values().stream())
                    .flatMap(allocation -> allocation.openPeriod().stream())
                    .forEach(life -> life.add(moment));
        }
        freed.removeIf(allocation -> isAllocatedBy(allocation, allocator));
    }

    /** Rejects to empty banks in which there are buffers. */
    public synchronized void emptying(Allocator allocator, int meshId) {
        List<Allocation> allocated = live.getOrDefault(allocator, Map.of()).values().stream()
                .flatMap(ofType -> ofType.values().stream())
                .toList();
        if (allocated.isEmpty()) {
            return;
        }
        List<String> lines = new ArrayList<>();
        lines.add(InvariantText.of(
                "Cannot empty the banks of mesh %d: its allocator has allocated %s. They would still count as allocated, and freeing one"
                        + " later would free whatever lies at its address then.",
                meshId, Quantities.count(allocated.size(), "buffer")));
        allocated.stream().limit(BUFFERS_SHOWN).forEach(allocation -> {
            lines.add("The " + description(allocation) + ":");
            allocation.openPeriod().ifPresent(life -> lines.addAll(life.lines()));
        });
        if (allocated.size() > BUFFERS_SHOWN) {
            lines.add("… and " + (allocated.size() - BUFFERS_SHOWN) + " more");
        }
        lines.add("Deallocate them one by one.");
        throw new BufferMisuseException(Misuse.WIPED_WHILE_ALLOCATED, PrintableText.lines(lines));
    }

    /** Rejects a second free. */
    public void secondFree(Allocation allocation) {
        if (!strict) {
            return;
        }
        BufferMisuseException error = misuse(
                Misuse.SECOND_FREE,
                "Cannot free the " + description(allocation) + ": it was freed before.",
                Optional.of(allocation),
                "Free it once. A runtime that is not strict ignores the second free, as the real one does.");
        allocation.openPeriod().ifPresent(life -> life.add(Moment.now("freed again, which was rejected")));
        throw error;
    }

    /** Rejects the free of memory that a closed mesh or device allocated. */
    public void freeAfterClose(Allocation allocation) {
        if (!strict) {
            return;
        }
        throw misuse(
                Misuse.FREE_AFTER_CLOSE,
                "Cannot free the " + description(allocation) + ": its allocator is closed.",
                Optional.of(allocation),
                "Free it before the close. A runtime that is not strict finds nothing to free, as the real one does.");
    }

    /** Rejects to free an address at which no buffer starts. */
    public void unknownAddress(BufferType type, long address, Allocator allocator, List<Integer> devices) {
        if (!strict) {
            return;
        }
        Optional<Allocation> last = lastFreedBy(allocator, type, address);
        throw misuse(
                last.isPresent() ? Misuse.SECOND_FREE : Misuse.UNKNOWN_ADDRESS,
                InvariantText.of(
                        "Cannot free %s %s on %s: %s.",
                        type,
                        Quantities.address(address),
                        description(devices),
                        last.isPresent() ? "the buffer that started there was freed before" : "no buffer starts there"),
                last,
                "Free an address that a buffer has. A runtime that is not strict ignores any other, as the real one does.");
    }

    /** Rejects a view of memory that was freed and not reused. */
    public synchronized void view(BufferType type, long address, List<Integer> devices) {
        if (isLive(type, address, devices)) {
            return;
        }
        freed.stream()
                .filter(allocation -> allocation.type() == type
                        && covers(allocation, address)
                        && allocation.devices().stream().anyMatch(devices::contains))
                .reduce((earlier, later) -> later)
                .ifPresent(last -> {
                    throw misuse(
                            Misuse.VIEW_OF_FREED_MEMORY,
                            InvariantText.of(
                                    "Cannot look at %s %s on %s: it lies in the %s, which was freed.",
                                    type, Quantities.address(address), description(devices), description(last)),
                            Optional.of(last),
                            "Make the view before the buffer is freed, and free the buffer when the view is not needed any"
                                    + " more. A runtime that is not strict looks at whatever lies there, as the real one does.");
                });
    }

    /** Rejects to write or read a buffer that was freed. */
    public void use(Allocation allocation, String use) {
        if (strict && allocation.isFreed()) {
            throw misuse(
                    Misuse.USE_AFTER_FREE,
                    "Cannot " + use + " the " + description(allocation) + ": it was freed.",
                    Optional.of(allocation),
                    "Free it after its last use. A runtime that is not strict uses whatever lies there now, as the real one does.");
        }
    }

    /** Adds the history of a freed buffer to the error that its use caused. */
    public static <E extends Throwable> E explained(E error, Allocation allocation) {
        if (allocation.isFreed() && allocation.openPeriod().isPresent()) {
            error.addSuppressed(misuse(
                    Misuse.USE_AFTER_FREE,
                    "Cannot use the " + description(allocation) + ": it was freed.",
                    Optional.of(allocation),
                    "Free it after its last use."));
        }
        return error;
    }

    private synchronized void remember(Allocator allocator, Allocation allocation) {
        live.computeIfAbsent(allocator, unused -> new EnumMap<>(BufferType.class))
                .computeIfAbsent(allocation.type(), unused -> new TreeMap<>())
                .put(allocation.address(), allocation);
    }

    private void forget(Allocation allocation, Supplier<Moment> end) {
        allocation.openPeriod().ifPresent(life -> life.add(end.get()));
        allocation.allocator().filter(allocator -> strict).ifPresent(allocator -> forget(allocator, allocation));
    }

    private synchronized void forget(Allocator allocator, Allocation allocation) {
        Map<BufferType, NavigableMap<Long, Allocation>> allocated = live.getOrDefault(allocator, Map.of());
        if (allocated.containsKey(allocation.type())) {
            allocated.get(allocation.type()).remove(allocation.address(), allocation);
        }
        freed.addLast(allocation);
        if (freed.size() > FREED_KEPT) {
            freed.removeFirst();
        }
    }

    private boolean isLive(BufferType type, long address, List<Integer> devices) {
        return live.values().stream()
                .map(allocated -> allocated.get(type))
                .filter(ofType -> ofType != null)
                .map(ofType -> ofType.floorEntry(address))
                .filter(below -> below != null)
                .map(Map.Entry::getValue)
                .anyMatch(allocation -> covers(allocation, address)
                        && allocation.devices().stream().anyMatch(devices::contains));
    }

    private synchronized Optional<Allocation> lastFreedBy(Allocator allocator, BufferType type, long address) {
        for (Iterator<Allocation> latestFirst = freed.descendingIterator(); latestFirst.hasNext(); ) {
            Allocation allocation = latestFirst.next();
            if (allocation.type() == type && allocation.address() == address && isAllocatedBy(allocation, allocator)) {
                return Optional.of(allocation);
            }
        }
        return Optional.empty();
    }

    @SuppressWarnings("ReferenceEquality") // An allocator is itself only.
    private static boolean isAllocatedBy(Allocation allocation, Allocator allocator) {
        return allocation.allocator().filter(other -> other == allocator).isPresent();
    }

    private static boolean covers(Allocation allocation, long address) {
        long extent = allocation.details().extent().orElse(allocation.size());
        return allocation.address() <= address && address < allocation.address() + extent;
    }

    private static BufferMisuseException misuse(
            Misuse misuse, String headline, Optional<Allocation> allocation, String wayOut) {
        List<String> lines = new ArrayList<>();
        lines.add(headline);
        allocation.flatMap(Allocation::openPeriod).ifPresent(life -> lines.addAll(life.lines()));
        lines.add(wayOut);
        return new BufferMisuseException(misuse, PrintableText.lines(lines));
    }

    private static String birth(Allocation allocation) {
        String purpose = allocation
                .details()
                .label()
                .map(label -> " as " + Quantities.quoted(label))
                .or(() -> allocation.details().owner().map(owner -> " for " + owner))
                .orElse("");
        return (allocation.allocator().isPresent() ? "allocated" : "created") + purpose;
    }

    private static String description(Allocation allocation) {
        return InvariantText.of(
                "%s %s of %s at %s on %s",
                allocation.type(),
                allocation.kind() == Kind.VIEW || allocation.kind() == Kind.VIEW_ON_MESH ? "view" : "buffer",
                Quantities.size(allocation.size()),
                Quantities.address(allocation.address()),
                description(allocation.devices()));
    }

    private static String description(List<Integer> devices) {
        List<Integer> sorted = devices.stream().sorted().toList();
        int first = sorted.get(0);
        boolean inARow = sorted.equals(
                IntStream.range(first, first + sorted.size()).boxed().toList());
        if (sorted.size() == 1) {
            return "device " + first;
        }
        return inARow && sorted.size() > 2
                ? InvariantText.of("devices %d to %d", first, sorted.get(sorted.size() - 1))
                : "devices " + sorted.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
