package dev.meshguard.history.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reports of one device in the order in which they arrived, three longs and a reference each.
 *
 * <p>Chunks only ever grow. A reader may therefore keep the chunks and the length of a moment and read them while more
 * is appended. Appending is guarded by the owner's lock.
 */
final class Journal extends CacheLinePadded {

    private static final int FIRST_CHUNK = 32;
    private static final int MAX_CHUNK = 8_192;
    private static final int WORDS = 3;

    /** The kind of an event; two bits of its meta word. */
    enum Kind {
        ALLOCATED,
        FREED,
        FREE_IGNORED;

        private static final Kind[] ALL = values();
    }

    private static final BufferType[] TYPES = BufferType.values();
    private static final Ownership[] OWNERSHIPS = Ownership.values();
    private static final IgnoredFreeReason[] REASONS = IgnoredFreeReason.values();

    private static final int TYPE_SHIFT = 2;
    private static final int DETAIL_SHIFT = 5;
    private static final int TICKET_SHIFT = 8;

    private final List<Chunk> chunks = new ArrayList<>();
    private @Nullable Chunk last;

    void append(
            Kind kind,
            long ticket,
            BufferType type,
            int detail,
            long address,
            long size,
            @Nullable MemoryRequest request) {
        Chunk chunk = last;
        if (chunk == null || chunk.length == chunk.capacity) {
            chunk = new Chunk(chunk == null ? FIRST_CHUNK : Math.min(chunk.capacity * 4, MAX_CHUNK));
            last = chunk;
            chunks.add(chunk);
        }
        int at = chunk.length * WORDS;
        long[] words = chunk.words;
        words[at] = address;
        words[at + 1] = size;
        words[at + 2] = (ticket << TICKET_SHIFT)
                | ((long) detail << DETAIL_SHIFT)
                | ((long) type.ordinal() << TYPE_SHIFT)
                | kind.ordinal();
        if (request != null) {
            chunk.requests[chunk.length] = request;
        }
        chunk.length++;
    }

    /** Returns the content so far; later reports do not change the view. */
    View view() {
        List<Chunk> sealed = new ArrayList<>(chunks.size());
        for (Chunk chunk : chunks) {
            sealed.add(chunk.upToNow());
        }
        return new View(sealed);
    }

    /** A block of events; the arrays are shared with the journal, the length is not. */
    private static final class Chunk extends CacheLinePadded {
        private final int capacity;
        private final long[] words;
        private final @Nullable MemoryRequest[] requests;
        private int length;

        private Chunk(int capacity) {
            this(capacity, new long[capacity * WORDS], new @Nullable MemoryRequest[capacity], 0);
        }

        private Chunk(int capacity, long[] words, @Nullable MemoryRequest[] requests, int length) {
            this.capacity = capacity;
            this.words = words;
            this.requests = requests;
            this.length = length;
        }

        private Chunk upToNow() {
            return new Chunk(capacity, words, requests, length);
        }
    }

    /** A cursor over the events of one device up to one moment. */
    static final class View {

        private final List<Chunk> chunks;
        private int chunk;
        private int event = -1;

        private View(List<Chunk> chunks) {
            this.chunks = chunks;
        }

        /** Returns a cursor over no events. */
        static View ofNothing() {
            return new View(List.of());
        }

        /** Moves to the next event and returns whether there is one. */
        boolean next() {
            event++;
            while (chunk < chunks.size() && event >= chunks.get(chunk).length) {
                chunk++;
                event = 0;
            }
            return chunk < chunks.size();
        }

        long ticket() {
            return meta() >>> TICKET_SHIFT;
        }

        Kind kind() {
            return Kind.ALL[(int) meta() & 3];
        }

        BufferType type() {
            return TYPES[(int) (meta() >>> TYPE_SHIFT) & 7];
        }

        Ownership ownership() {
            return OWNERSHIPS[detail()];
        }

        IgnoredFreeReason reason() {
            return REASONS[detail()];
        }

        long address() {
            return chunks.get(chunk).words[event * WORDS];
        }

        long size() {
            return chunks.get(chunk).words[event * WORDS + 1];
        }

        @Nullable
        MemoryRequest request() {
            return chunks.get(chunk).requests[event];
        }

        private int detail() {
            return (int) (meta() >>> DETAIL_SHIFT) & 7;
        }

        private long meta() {
            return chunks.get(chunk).words[event * WORDS + 2];
        }
    }
}
