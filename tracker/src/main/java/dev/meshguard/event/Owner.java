package dev.meshguard.event;

import java.util.Locale;
import java.util.Objects;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The runtime object that keeps a buffer, such as a program or a trace; buffers of the code under test have none.
 *
 * <p>Two owners are equal if kind and name are equal. A program's name has to be unique in one history, because the end
 * of a program is matched to its buffers by its owner.
 *
 * @param kind the kind of object
 * @param name the source's name for it, not blank
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Owner(Kind kind, String name) {

    /** The objects besides the code under test that own device memory. */
    public enum Kind {
        /** A program: its kernel binary and its circular buffers. */
        PROGRAM,
        /** A captured trace. */
        TRACE,
        /** A command queue. */
        COMMAND_QUEUE,
        /** The dispatch firmware. */
        DISPATCH,
        /** The fabric between the devices. */
        FABRIC,
        /** The code that forwards packets on the Ethernet cores of a device. */
        ETHERNET_ROUTER,
        /** The code that keeps the devices of one mesh in step. */
        MESH_COORDINATION,
        /** Any other object; its name describes it. */
        OTHER;

        /** Returns whether a cache can keep this owner, so that its buffers are freed when the cache is cleared. */
        public boolean canBeCached() {
            return this == PROGRAM || this == TRACE;
        }
    }

    /**
     * Creates an owner.
     *
     * @throws IllegalArgumentException if the name is blank
     */
    public Owner {
        Objects.requireNonNull(kind, "kind");
        if (name.isBlank()) {
            throw new IllegalArgumentException("An owner needs a name: the name given for a " + kind + " is blank");
        }
    }

    /** Returns the program with the given name. */
    public static Owner program(String name) {
        return new Owner(Kind.PROGRAM, name);
    }

    /** Returns a readable name: {@code program 7 (add)}, {@code dispatch "prefetcher"}. */
    @Override
    public String toString() {
        String words = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return switch (kind) {
            case PROGRAM, TRACE -> words + " " + name;
            case OTHER -> name;
            default -> words + " \"" + name + "\"";
        };
    }
}
