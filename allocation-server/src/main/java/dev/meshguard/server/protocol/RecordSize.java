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
    BYTES_72(72),
    /** The same, and device info. */
    BYTES_112(112),
    /** The same, and circular buffers and kernels. */
    BYTES_144(144);

    private final int bytes;

    RecordSize(int bytes) {
        this.bytes = bytes;
    }

    /** Returns the number of bytes. */
    public int bytes() {
        return bytes;
    }

    /** Returns whether a server of this size supports device info. */
    public boolean hasDeviceInfo() {
        return this != BYTES_72;
    }

    /** Returns whether a server of this size receives circular buffers and kernels, and rejects impossible sizes. */
    public boolean hasCircularBuffers() {
        return this == BYTES_144;
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
