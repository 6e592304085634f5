package dev.meshguard.server.protocol;

import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What a message says.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum MessageType {
    /** A buffer was allocated. */
    ALLOC,
    /** A buffer was freed. */
    FREE,
    /** Asks what is allocated on a device; answered with {@link #RESPONSE}. */
    QUERY,
    /** What is allocated on a device. */
    RESPONSE,
    /** Asks the server to log what is left; not answered. */
    DUMP_REMAINING,
    /** Asks what a device has, or with device -1 how many there are; answered with {@link #DEVICE_INFO_RESPONSE}. */
    DEVICE_INFO_QUERY,
    /** What a device has. */
    DEVICE_INFO_RESPONSE,
    /** A circular buffer was allocated. */
    CB_ALLOC,
    /** A circular buffer was freed. */
    CB_FREE,
    /** A kernel was loaded. */
    KERNEL_LOAD,
    /** A kernel was unloaded. */
    KERNEL_UNLOAD,
    /** Asks the server to log which kernels are loaded; not answered. */
    DUMP_KERNELS;

    private static final MessageType[] ALL = values();

    /** The largest number of a message. */
    public static final int MAX_CODE = ALL.length;

    /** Returns the number on the wire, from 1. */
    public int code() {
        return ordinal() + 1;
    }

    /** Returns the message of the given number, if there is one. */
    public static Optional<MessageType> of(int code) {
        return code < 1 || code > MAX_CODE ? Optional.empty() : Optional.of(ALL[code - 1]);
    }

    /** Returns whether a server sends it, and not a program. */
    public boolean isReply() {
        return this == RESPONSE || this == DEVICE_INFO_RESPONSE;
    }

    /** Returns whether it tells of memory, and asks for nothing. */
    public boolean isReport() {
        return switch (this) {
            case ALLOC, FREE, CB_ALLOC, CB_FREE, KERNEL_LOAD, KERNEL_UNLOAD -> true;
            default -> false;
        };
    }

    /** Returns whether a server whose records have the given size knows it. */
    public boolean isKnownTo(RecordSize size) {
        return switch (this) {
            case DEVICE_INFO_QUERY, DEVICE_INFO_RESPONSE -> size.hasDeviceInfo();
            case CB_ALLOC, CB_FREE, KERNEL_LOAD, KERNEL_UNLOAD, DUMP_KERNELS -> size.hasCircularBuffers();
            default -> true;
        };
    }
}
