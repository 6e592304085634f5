package dev.meshguard.server.line.internal;

import dev.meshguard.event.HistoryEvent;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A field of a line: its key in JSON, and the values that it can have. {@code docs/protocol.md} has their meanings. */
public enum Field {
    /** The operation. */
    OP("op"),
    /** The number of a report. */
    N("n", 0, Long.MAX_VALUE),
    /** The version of the protocol. */
    VERSION("version", 0, Integer.MAX_VALUE),
    /** The process id. */
    PID("pid", 1, Integer.MAX_VALUE),
    /** The id of a definition. */
    ID("id", 1, Integer.MAX_VALUE),
    /** The device. */
    DEVICE("device", 0, HistoryEvent.MAX_DEVICE),
    /** The address in the memory of the device; any 64 bits. */
    ADDRESS("address", 0, Long.MAX_VALUE),
    /** The size in bytes. */
    SIZE("size", 0, Long.MAX_VALUE),
    /** The number of the request. */
    REQUEST("request", 0, Long.MAX_VALUE),
    /** The number of the mesh in the program; 0 for none. */
    MESH("mesh", 0, Integer.MAX_VALUE),
    /** The number of the mesh of a submesh; 0 for none. */
    PARENT("parent", 0, Integer.MAX_VALUE),
    /** The device that is reported for a whole mesh. */
    BUSIEST_DEVICE("busiestDevice", -1, HistoryEvent.MAX_DEVICE),
    /** The number of bytes in each bank. */
    BYTES_PER_BANK("bytesPerBank", 0, Long.MAX_VALUE),
    /** The number of a sub-device manager. */
    MANAGER("manager", 0, 65_535),
    /** The number of a sub-device. */
    SUB_DEVICE("subDevice", 0, 65_535),
    /** An owner: its id, or its definition. 0 for none. */
    OWNER("owner", 0, Integer.MAX_VALUE),
    /** A call stack: its id, or its frames. 0 for none. */
    STACK("stack", 0, Integer.MAX_VALUE),
    /** The frames of a call stack, innermost first. */
    FRAMES("frames"),
    /** The devices of a mesh. */
    DEVICES("devices", 0, HistoryEvent.MAX_DEVICE),
    /** The allocated addresses. */
    ADDRESSES("addresses", 0, Long.MAX_VALUE),
    /** A name. */
    NAME("name"),
    /** The purpose of an allocation. */
    LABEL("label"),
    /** The kind of an owner. */
    KIND("kind"),
    /** The lifetime of an owner's memory. */
    LIFETIME("lifetime"),
    /** The buffer type. */
    TYPE("type"),
    /** The kind of an allocator. */
    ALLOCATOR("allocator"),
    /** Whether an object owns the memory. */
    OWNERSHIP("ownership"),
    /** What became of a free. */
    RESULT("result"),
    /** The moment of a snapshot. */
    MOMENT("moment"),
    /** The name of a cache. */
    CACHE("cache"),
    /** Whether the memory is that of another request. */
    VIEW("view"),
    /** Whether a snapshot is complete. */
    COMPLETE("complete");

    private static final Map<String, Field> BY_KEY =
            Arrays.stream(values()).collect(Collectors.toMap(field -> field.key, Function.identity()));

    private final String key;
    private final long least;
    private final long most;

    Field(String key) {
        this(key, 0, 0);
    }

    Field(String key, long least, long most) {
        this.key = key;
        this.least = least;
        this.most = most;
    }

    static @Nullable Field of(String key) {
        return BY_KEY.get(key);
    }

    boolean isAddress() {
        return this == ADDRESS || this == ADDRESSES;
    }

    boolean isPossible(long value) {
        return value >= least && value <= most;
    }

    String range() {
        return least + " to " + most + (isAddress() ? ", or a text \"0x0\" to \"0xffffffffffffffff\"" : "");
    }

    /** Returns the key in JSON, in quotes. */
    @Override
    public String toString() {
        return '"' + key + '"';
    }
}
