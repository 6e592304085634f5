package dev.meshguard.history.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The events of a tracker in the order in which they arrived; it only grows.
 *
 * <p>A report takes three longs and a reference, and becomes an object when it is read. As objects, reports would take twice the
 * memory, and one array for each of their parts takes a tenth more of the time of a pair of reports ({@code PairBenchmark}).
 * Guarded by the owner's lock; {@link #events()} are read without it.
 */
public final class Journal {

    /** The kinds of events. */
    public enum Kind {
        /** An event without an address, and without a detail. */
        MARK,
        /** Its detail is an {@link Ownership}. */
        ALLOCATED,
        /** Its detail is an {@link Ownership}. */
        FREED,
        /** Its detail is an {@link IgnoredFreeReason}. */
        FREE_IGNORED
    }

    /** The events of a block. The first one starts with less room, because most tests report few. */
    private static final int CAPACITY = 4_096;

    private static final int FIRST_CAPACITY = 64;

    private static final int WORDS = 3;

    private static final Kind[] KINDS = Kind.values();
    private static final BufferType[] TYPES = BufferType.values();
    private static final Ownership[] OWNERSHIPS = Ownership.values();
    private static final IgnoredFreeReason[] REASONS = IgnoredFreeReason.values();

    // The third word of a report has, from the lowest bits: kind, detail, type, and its order between two marks. The
    // order is the index of the device (its id plus 1) and, above it, how many tickets were given since the mark.
    private static final int KIND_BITS = 2;
    private static final int DETAIL_BITS = 3;
    private static final int TYPE_BITS = 3;
    private static final int DEVICE_BITS = 17;
    private static final int ORDER_SHIFT = KIND_BITS + DETAIL_BITS + TYPE_BITS;

    private Block last = Block.ofCapacity(FIRST_CAPACITY);
    private final List<Block> blocks = new ArrayList<>(List.of(last));
    private int size;
    /** The events of the last block. */
    private int used;

    /** The ticket of the latest mark. */
    private long latestMark;

    /** The order of the latest event. */
    private long latestOrder;

    /** Whether the reports between any two marks arrived in their order, so that {@link #events()} need no sorting. */
    private boolean isOrdered = true;

    /** Some events. A reader shares the arrays, and reads those elements that were filled when it got the block. */
    private static final class Block {
        private final long[] words;
        /** A {@link HistoryEvent} for a mark; a {@link MemoryRequest} for a report, or null if nothing is known of it. */
        private final @Nullable Object[] subjects;

        private Block(long[] words, @Nullable Object... subjects) {
            this.words = words;
            this.subjects = subjects;
        }

        private static Block ofCapacity(int capacity) {
            return new Block(new long[capacity * WORDS], new @Nullable Object[capacity]);
        }

        /** Returns a block with the same events and twice the room. */
        private Block doubled() {
            return new Block(Arrays.copyOf(words, 2 * words.length), Arrays.copyOf(subjects, 2 * subjects.length));
        }

        private HistoryEvent event(int index, long number) {
            if (subjects[index] instanceof HistoryEvent mark) {
                return mark;
            }
            MemoryRequest request =
                    subjects[index] instanceof MemoryRequest known ? known : MemoryRequest.of(AllocationDetails.user());
            long address = words[index * WORDS];
            long bytes = words[index * WORDS + 1];
            int detail = bits(index, KIND_BITS, DETAIL_BITS);
            BufferType type = TYPES[bits(index, KIND_BITS + DETAIL_BITS, TYPE_BITS)];
            int device = bits(index, ORDER_SHIFT, DEVICE_BITS) - 1;
            if (device < 0) {
                device = HistoryEvent.NO_DEVICE;
            }
            return switch (kind(index)) {
                case ALLOCATED ->
                    new HistoryEvent.Allocated(number, request, device, type, address, bytes, OWNERSHIPS[detail]);
                case FREED -> new HistoryEvent.Freed(number, request, device, type, address, OWNERSHIPS[detail]);
                case FREE_IGNORED ->
                    new HistoryEvent.FreeIgnored(number, request, device, type, address, REASONS[detail]);
                case MARK -> throw new IllegalStateException("Mark #" + number + " is missing");
            };
        }

        private Kind kind(int index) {
            return KINDS[bits(index, 0, KIND_BITS)];
        }

        private int bits(int index, int shift, int length) {
            return (int) (words[index * WORDS + 2] >>> shift) & ((1 << length) - 1);
        }

        private long order(int index) {
            return words[index * WORDS + 2] >>> ORDER_SHIFT;
        }
    }

    /**
     * Appends an event without an address.
     *
     * @param ticket greater than all tickets before it
     * @param event the event; its number is the next one
     */
    public void mark(long ticket, HistoryEvent event) {
        int index = nextIndex();
        latestMark = ticket;
        latestOrder = 0;
        last.subjects[index] = event;
    }

    /**
     * Appends a report.
     *
     * @param ticket that of its request, or the next one if a tracker did not number the request
     * @param request the request; null if nothing is known of it
     * @param device the device id, at most 65,535
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
        long order = (Math.max(0, ticket - latestMark) << DEVICE_BITS) + Math.max(0, device + 1);
        // Before anything changes: a report without a type or a detail, or without memory for it, is rejected, and all
        // others are still read.
        long word = (order << ORDER_SHIFT)
                | ((long) type.ordinal() << (KIND_BITS + DETAIL_BITS))
                | ((long) detail.ordinal() << KIND_BITS)
                | kind.ordinal();
        int index = nextIndex();
        isOrdered &= order >= latestOrder;
        latestOrder = order;
        Block block = last;
        block.words[index * WORDS] = address;
        block.words[index * WORDS + 1] = bytes;
        block.words[index * WORDS + 2] = word;
        if (request != null) {
            block.subjects[index] = request;
        }
    }

    /** Makes room for one more event in the last block, and returns its index there. */
    private int nextIndex() {
        if (used == CAPACITY) {
            Block next = Block.ofCapacity(CAPACITY);
            blocks.add(next);
            last = next;
            used = 0;
        } else if (used == last.subjects.length) {
            last = last.doubled();
            blocks.set(0, last);
        }
        size++;
        return used++;
    }

    /** Returns the number of events. */
    public int size() {
        return size;
    }

    /**
     * Returns the events so far, numbered from 1; later ones do not change the list.
     *
     * <p>They are in the order of arrival, except for reports between two marks, which threads may have made at one time.
     * These are in the order of their tickets, then of their devices, so that the threads of one request, which work on a
     * device each, always give the same numbers. Reports of one device never change their order, whatever their tickets are:
     * two threads may reach a device in another order than the one in which they got their tickets.
     */
    public List<HistoryEvent> events() {
        return new Events(List.copyOf(blocks), size, isOrdered);
    }

    /** Returns the events so far in the order of their arrival, and numbered by it. */
    public List<HistoryEvent> arrived() {
        return new Events(List.copyOf(blocks), size, true);
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
            return blockOf(position).event(position % CAPACITY, index + 1L);
        }

        @Override
        public int size() {
            return size;
        }

        private Block blockOf(int position) {
            return blocks.get(position / CAPACITY);
        }

        private int[] positions() {
            int[] known = positions;
            if (known == null) {
                known = IntStream.range(0, size).toArray();
                int begin = 0;
                for (int end = 0; end <= size; end++) {
                    if (end == size || blockOf(end).kind(end % CAPACITY) == Kind.MARK) {
                        System.arraycopy(ordered(begin, end), 0, known, begin, end - begin);
                        begin = end + 1;
                    }
                }
                positions = known;
            }
            return known;
        }

        /** Returns the positions of the reports between two marks, in their order; a device's never change theirs. */
        private int[] ordered(int begin, int end) {
            long[] orders = new long[end - begin];
            // By the device's index: the greatest order of its reports so far, which its later ones have at least.
            Map<Long, Long> latest = new HashMap<>();
            for (int i = begin; i < end; i++) {
                long order = blockOf(i).order(i % CAPACITY);
                orders[i - begin] = latest.merge(order & ((1 << DEVICE_BITS) - 1), order, Math::max);
            }
            return IntStream.range(begin, end)
                    .boxed()
                    .sorted(Comparator.comparingLong(i -> orders[i - begin]))
                    .mapToInt(Integer::intValue)
                    .toArray();
        }
    }
}
