package dev.meshguard.history.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The events of a tracker in the order in which they arrived; it only grows.
 *
 * <p>An event takes 30 bytes in arrays and becomes an object when it is read. As objects, events would take twice the memory.
 * Guarded by the owner's lock; {@link #events()} are read without it.
 */
public final class Journal {

    /** The kinds of events. */
    public enum Kind {
        /** Its detail is an {@link Ownership}. */
        ALLOCATED,
        /** Its detail is an {@link Ownership}. */
        FREED,
        /** Its detail is an {@link IgnoredFreeReason}. */
        FREE_IGNORED,
        /** An event without an address, and without a detail. */
        MARK
    }

    /** Events in a block. */
    private static final int CAPACITY = 256;

    private static final Kind[] KINDS = Kind.values();
    private static final BufferType[] TYPES = BufferType.values();
    private static final Ownership[] OWNERSHIPS = Ownership.values();
    private static final IgnoredFreeReason[] REASONS = IgnoredFreeReason.values();

    private final List<Block> blocks = new ArrayList<>(1);
    private int size;

    /** The ticket of the latest mark. */
    private long latestMark;

    /** Whether each report is behind the one before it by its ticket and device, so that {@link #events()} need no sorting. */
    private boolean isOrdered = true;

    private int latestOrder;
    private int latestDevice;

    /** Some events. A reader shares the arrays, and reads those elements that were filled when it got the block. */
    private static final class Block {
        /** The ordinals of the kind and the detail: the kind changes fastest. */
        private final byte[] kinds = new byte[CAPACITY];
        /** A {@link HistoryEvent} for a mark; a {@link MemoryRequest} for a report, or null if nothing is known of it. */
        private final @Nullable Object[] subjects = new @Nullable Object[CAPACITY];
        /** How far the ticket is behind that of the mark before it. */
        private final int[] orders = new int[CAPACITY];

        private final int[] devices = new int[CAPACITY];
        private final byte[] types = new byte[CAPACITY];
        private final long[] addresses = new long[CAPACITY];
        private final long[] sizes = new long[CAPACITY];

        private HistoryEvent event(int index, long number) {
            MemoryRequest request =
                    subjects[index] instanceof MemoryRequest known ? known : MemoryRequest.of(AllocationDetails.user());
            int device = devices[index];
            BufferType type = TYPES[types[index]];
            long address = addresses[index];
            int detail = kinds[index] / KINDS.length;
            return switch (kind(index)) {
                case ALLOCATED ->
                    new HistoryEvent.Allocated(
                            number, request, device, type, address, sizes[index], OWNERSHIPS[detail]);
                case FREED -> new HistoryEvent.Freed(number, request, device, type, address, OWNERSHIPS[detail]);
                case FREE_IGNORED ->
                    new HistoryEvent.FreeIgnored(number, request, device, type, address, REASONS[detail]);
                case MARK -> (HistoryEvent) Objects.requireNonNull(subjects[index]);
            };
        }

        private Kind kind(int index) {
            return KINDS[kinds[index] % KINDS.length];
        }
    }

    /**
     * Appends an event without an address.
     *
     * @param ticket greater than all tickets before it
     * @param event creates the event with its number
     */
    public void mark(long ticket, LongFunction<HistoryEvent> event) {
        latestMark = ticket;
        latestOrder = 0;
        latestDevice = Integer.MIN_VALUE;
        Block block = blockWithRoom();
        int index = size++ % CAPACITY;
        block.kinds[index] = (byte) Kind.MARK.ordinal();
        block.subjects[index] = event.apply(size);
    }

    /**
     * Appends a report.
     *
     * @param ticket that of its request
     * @param request the request; null if nothing is known of it
     * @param bytes the size; 0 if it frees memory
     * @param detail of the type that its kind demands
     */
    public void report(
            Kind kind,
            long ticket,
            @Nullable MemoryRequest request,
            int device,
            BufferType type,
            long address,
            long bytes,
            Enum<?> detail) {
        // A request may be older than a mark that precedes its report.
        int order = (int) Math.min(Math.max(0, ticket - latestMark), Integer.MAX_VALUE);
        isOrdered &= order > latestOrder || (order == latestOrder && device >= latestDevice);
        latestOrder = order;
        latestDevice = device;
        Block block = blockWithRoom();
        int index = size++ % CAPACITY;
        block.kinds[index] = (byte) (kind.ordinal() + detail.ordinal() * KINDS.length);
        if (request != null) {
            block.subjects[index] = request;
        }
        block.orders[index] = order;
        block.devices[index] = device;
        block.types[index] = (byte) type.ordinal();
        block.addresses[index] = address;
        block.sizes[index] = bytes;
    }

    private Block blockWithRoom() {
        if (size == blocks.size() * CAPACITY) {
            blocks.add(new Block());
        }
        return blocks.get(blocks.size() - 1);
    }

    /** Returns the number of events. */
    public int size() {
        return size;
    }

    /**
     * Returns the events so far, numbered from 1; later ones do not change the list.
     *
     * <p>They are in the order of arrival, except for reports between two marks, which threads may have made at one time.
     * These are in the order of their tickets, then of their devices, so that threads which work on a device each always give
     * the same numbers. Reports of one device never change their order, whatever their tickets are: two threads may reach a
     * device in another order than the one in which they got their tickets.
     */
    public List<HistoryEvent> events() {
        return new Events(List.copyOf(blocks), size, isOrdered);
    }

    /** The events up to one moment, each created when it is read. */
    private static final class Events extends AbstractList<HistoryEvent> implements RandomAccess {

        private final List<Block> blocks;
        private final int size;
        private final boolean isOrdered;

        /** The positions of the events in the order of their numbers; null until one is needed. */
        private volatile int @Nullable [] positions;

        private Events(List<Block> blocks, int size, boolean isOrdered) {
            this.blocks = blocks;
            this.size = size;
            this.isOrdered = isOrdered;
        }

        @Override
        public HistoryEvent get(int index) {
            Objects.checkIndex(index, size);
            int position = isOrdered ? index : positions()[index];
            return blocks.get(position / CAPACITY).event(position % CAPACITY, index + 1L);
        }

        @Override
        public int size() {
            return size;
        }

        private int[] positions() {
            int[] known = positions;
            if (known == null) {
                known = IntStream.range(0, size).toArray();
                int begin = 0;
                for (int end = 0; end <= size; end++) {
                    if (end == size || blocks.get(end / CAPACITY).kind(end % CAPACITY) == Kind.MARK) {
                        System.arraycopy(ordered(begin, end), 0, known, begin, end - begin);
                        begin = end + 1;
                    }
                }
                positions = known;
            }
            return known;
        }

        /** Returns the positions of the reports between two marks. */
        private int[] ordered(int begin, int end) {
            int[] orders = new int[end - begin];
            Map<Integer, Integer> latest = new HashMap<>();
            for (int i = begin; i < end; i++) {
                int order = blocks.get(i / CAPACITY).orders[i % CAPACITY];
                orders[i - begin] = latest.merge(device(i), order, Math::max);
            }
            return IntStream.range(begin, end)
                    .boxed()
                    .sorted(Comparator.comparingInt((Integer i) -> orders[i - begin])
                            .thenComparingInt(this::device))
                    .mapToInt(Integer::intValue)
                    .toArray();
        }

        private int device(int position) {
            return blocks.get(position / CAPACITY).devices[position % CAPACITY];
        }
    }
}
