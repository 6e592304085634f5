package dev.meshguard.tracker.history;

import dev.meshguard.tracker.BufferType;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The lives of which there is nothing to say: allocated and freed, and nothing else ever happened in them.
 *
 * <p>All are of plain buffers of the user, without owner, label and origin, and over when the check was made. A verdict needs their
 * sums and no more.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class QuietLives {

    /** There are none, or nobody looked for them. */
    static final QuietLives NONE =
            new QuietLives(new long[BufferType.values().length], new long[BufferType.values().length]);

    private final long[] buffers;
    private final long[] bytes;

    /** Keeps the arrays, which have a place for each type: nobody else may change them. */
    QuietLives(long[] buffers, long[] bytes) {
        this.buffers = buffers;
        this.bytes = bytes;
    }

    /** Returns how many there are. */
    public long count() {
        long sum = 0;
        for (long ofType : buffers) {
            sum += ofType;
        }
        return sum;
    }

    /** Returns how many of a type there are. */
    public long buffers(BufferType type) {
        return buffers[type.ordinal()];
    }

    /** Returns the bytes of those of a type, as their first reports name them. */
    public long bytes(BufferType type) {
        return bytes[type.ordinal()];
    }
}
