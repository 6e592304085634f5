package dev.meshguard.capture.evidence.internal;

import dev.meshguard.event.BufferType;
import java.util.List;
import java.util.Optional;

/**
 * A text of the runtime about memory: a rejected request, a warning, or buffers that a replay of a trace would corrupt.
 *
 * <p>None of these texts names a tensor or a culprit. {@link #held()} is the memory whose buffers stood in the way, so a
 * history shows which these were.
 *
 * @param kind what it reports
 * @param line the number of its first line, from 1
 * @param figures its figures, as a part of a sentence; empty if it has none
 * @param held the memory whose buffers the request would need to be free, if buffers are the reason
 * @param buffers the buffers that it lists by their numbers, in its order
 */
public record RuntimeText(
        Kind kind, long line, String figures, Optional<AddressRange> held, List<ListedBuffer> buffers) {

    /** The kinds of texts. */
    enum Kind {
        /** The runtime rejected a request for memory. */
        REJECTED_REQUEST,
        /** Buffers that a replay will corrupt are alive before it. */
        ALIVE_BEFORE_REPLAY,
        /** A buffer was allocated while a trace was active, which may be unsafe. */
        ALLOCATED_WITH_TRACE
    }

    /**
     * A range of addresses of one memory.
     *
     * @param type the memory
     * @param from the first address
     * @param to the address after the last
     */
    public record AddressRange(BufferType type, long from, long to) {

        /** Returns all addresses of a memory. */
        static AddressRange all(BufferType type) {
            return new AddressRange(type, 0, Long.MAX_VALUE);
        }

        /** Returns whether a buffer begins in the range. */
        public boolean contains(BufferType memory, long address) {
            return memory == type && address >= from && address < to;
        }
    }

    /**
     * A buffer in a list of the trace allocation tracker.
     *
     * @param id the runtime's unique number of the buffer, which no other file has
     * @param operation the innermost operation that allocated it, if it is named
     * @param frames the lines of Python on the stack of its allocation, in the order of the text: {@code model.py:31 in
     *     forward}
     * @param references the Python variables that hold it, as printed
     */
    record ListedBuffer(long id, Optional<String> operation, List<String> frames, List<String> references) {

        /** Creates the record with its own copies of the lists. */
        ListedBuffer {
            frames = List.copyOf(frames);
            references = List.copyOf(references);
        }
    }

    /** Creates the record with its own copy of the list. */
    public RuntimeText {
        buffers = List.copyOf(buffers);
    }
}
