package dev.meshguard.server.protocol;

import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The messages between programs and the allocation server, each with its number on the wire.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum MessageType {
    /** A buffer was allocated. */
    ALLOC,
    /** A buffer was freed. */
    FREE,
    /** Queries the memory usage of a device; answered with {@link #RESPONSE}. */
    QUERY,
    /** The memory usage of a device. */
    RESPONSE,
    /** Requests a log of the remaining buffers; not answered. */
    DUMP_REMAINING,
    /**
     * Queries the memory sizes of a device, or with device -1 the number of devices; answered with
     * {@link #DEVICE_INFO_RESPONSE}.
     */
    DEVICE_INFO_QUERY,
    /** The memory sizes of a device. */
    DEVICE_INFO_RESPONSE,
    /** A circular buffer was allocated. */
    CB_ALLOC,
    /** A circular buffer was freed. */
    CB_FREE,
    /** A kernel was loaded. */
    KERNEL_LOAD,
    /** A kernel was unloaded. */
    KERNEL_UNLOAD,
    /** Requests a log of the loaded kernels; not answered. */
    DUMP_KERNELS;

    private static final MessageType[] ALL = values();

    /** The largest message number. */
    public static final int MAX_CODE = ALL.length;

    /** Returns the number on the wire, from 1. */
    public int code() {
        return ordinal() + 1;
    }

    /** Returns the message with a number, if there is one. */
    public static Optional<MessageType> of(int code) {
        return code < 1 || code > MAX_CODE ? Optional.empty() : Optional.of(ALL[code - 1]);
    }

    /** Returns whether a server sends it, not a program. */
    public boolean isReply() {
        return this == RESPONSE || this == DEVICE_INFO_RESPONSE;
    }

    /** Returns whether it reports memory, without a query. */
    public boolean isReport() {
        return switch (this) {
            case ALLOC, FREE, CB_ALLOC, CB_FREE, KERNEL_LOAD, KERNEL_UNLOAD -> true;
            default -> false;
        };
    }
}
