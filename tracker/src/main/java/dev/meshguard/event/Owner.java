package dev.meshguard.event;

import java.util.Locale;
import java.util.Objects;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The thing on whose behalf a buffer was allocated, when the source knows it.
 *
 * <p>Two owners are the same when kind and name are. A program's name has to be unique in one history, because the end
 * of a program is matched to its buffers by its owner.
 *
 * @param kind what sort of thing it is
 * @param name how the source calls it, not blank
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Owner(Kind kind, String name) {

    /** The things that own device memory besides the code under test. */
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
        /** What forwards packets on the Ethernet cores of a device. */
        ETHERNET_ROUTER,
        /** What keeps the devices of one mesh in step. */
        MESH_COORDINATION,
        /** Anything else; its name says what. */
        OTHER;

        /** Returns whether buffers of this owner go away with a cache rather than with a free of their own. */
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

    /** Returns how a person would call it: {@code program 7 (add)}, {@code dispatch "prefetcher"}. */
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
