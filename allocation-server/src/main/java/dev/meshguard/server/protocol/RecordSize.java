package dev.meshguard.server.protocol;

import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The wire format that all programs and the server of a machine share, named by the size of its records.
 *
 * <p>tt-metal has used three sizes, in bytes. A record does not contain its size.
 *
 * <p>All programs and the server of one machine must have been built with the same one.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum RecordSize {
    /** Allocations, frees, queries and dumps. */
    BYTES_72(72, MessageType.DUMP_REMAINING),
    /** The same, and device info. */
    BYTES_112(112, MessageType.DEVICE_INFO_RESPONSE),
    /** The same, and circular buffers and kernels; impossible sizes are rejected. */
    BYTES_144(144, MessageType.DUMP_KERNELS);

    private final int bytes;
    private final MessageType last;

    RecordSize(int bytes, MessageType last) {
        this.bytes = bytes;
        this.last = last;
    }

    /** Returns the number of bytes. */
    public int bytes() {
        return bytes;
    }

    /** Returns whether a server of this size knows a message; each size knows more than the one before. */
    public boolean knows(MessageType message) {
        return message.compareTo(last) <= 0;
    }

    /** Returns the size of the given number of bytes, if it is one. */
    public static Optional<RecordSize> of(int bytes) {
        for (RecordSize size : values()) {
            if (size.bytes == bytes) {
                return Optional.of(size);
            }
        }
        return Optional.empty();
    }
}
