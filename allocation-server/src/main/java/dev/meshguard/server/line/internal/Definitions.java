package dev.meshguard.server.line.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The call stacks and owners that one connection has defined, by their ids.
 *
 * <p>A later definition of an id replaces the earlier one, so that a client can use ids again. Not safe for use by several threads.
 */
public final class Definitions {

    /** The largest number of ids of each kind. */
    private static final int MAX_IDS = 65_536;

    private static final int MAX_FRAMES = 128;

    /**
     * An owner, and who frees what it owns.
     *
     * @param owner the owner, whose name is unique in the history
     * @param lifetime the lifetime of its memory
     */
    public record KnownOwner(Owner owner, BufferLifetime lifetime) {}

    private final String suffixOfOwners;
    private final Map<Long, Optional<Origin>> stacks = new HashMap<>();
    private final Map<Long, KnownOwner> owners = new HashMap<>();

    /**
     * Creates empty definitions.
     *
     * @param suffixOfOwners makes the owners of this connection differ from those of others
     */
    public Definitions(String suffixOfOwners) {
        this.suffixOfOwners = suffixOfOwners;
    }

    /** Adds the call stack that a line defines. */
    public void addStack(JsonLine line) throws InvalidLineException {
        add(stacks, line.number(Field.ID), origin(line, Field.FRAMES));
    }

    /** Adds the owner that a line defines. */
    public void addOwner(JsonLine line) throws InvalidLineException {
        add(owners, line.number(Field.ID), definition(line));
    }

    private static <T> void add(Map<Long, T> known, long id, T definition) throws InvalidLineException {
        if (known.size() >= MAX_IDS && !known.containsKey(id)) {
            throw new InvalidLineException("defines more than " + MAX_IDS + " ids, which is the limit. Use ids again");
        }
        known.put(id, definition);
    }

    /** Returns the call stack of a report, or nothing if it has none. */
    public Optional<Origin> stack(JsonLine line) throws InvalidLineException {
        if (line.isList(Field.STACK)) {
            return origin(line, Field.STACK);
        }
        long id = line.number(Field.STACK, 0);
        Optional<Origin> known = id == 0 ? Optional.empty() : stacks.get(id);
        if (known == null) {
            throw new InvalidLineException("names stack " + id + ", which it did not define");
        }
        return known;
    }

    /** Returns the owner of a report, or nothing if it has none. */
    public Optional<KnownOwner> owner(JsonLine line) throws InvalidLineException {
        if (line.isObject(Field.OWNER)) {
            return Optional.of(definition(line));
        }
        long id = line.number(Field.OWNER, 0);
        KnownOwner known = id == 0 ? null : owners.get(id);
        if (known == null && id != 0) {
            throw new InvalidLineException("names owner " + id + ", which it did not define");
        }
        return Optional.ofNullable(known);
    }

    /** A lifetime decides who must free the memory, so a wrong one must not be guessed. */
    private KnownOwner definition(JsonLine line) throws InvalidLineException {
        String name = line.text(Field.NAME).orElse("without a name") + suffixOfOwners;
        return new KnownOwner(
                new Owner(line.choice(Field.KIND, Owner.Kind.class, Owner.Kind.OTHER), name),
                line.choice(Field.LIFETIME, BufferLifetime.class, BufferLifetime.USER));
    }

    private static Optional<Origin> origin(JsonLine line, Field field) throws InvalidLineException {
        List<StackTraceElement> frames = new ArrayList<>();
        for (String text : line.texts(field)) {
            if (frames.size() < MAX_FRAMES) {
                frames.add(frame(text));
            }
        }
        return frames.isEmpty() ? Optional.empty() : Optional.of(new Origin(frames));
    }

    /** Reads {@code function (file:line)}; a text of another form is the name of a function. */
    private static StackTraceElement frame(String text) {
        int open = text.lastIndexOf(" (");
        int colon = text.lastIndexOf(':');
        if (open < 1 || colon < open || !text.endsWith(")")) {
            return new StackTraceElement("", text, null, -1);
        }
        String file = text.substring(open + 2, colon);
        return new StackTraceElement(
                moduleOf(file), text.substring(0, open), file, number(text.substring(colon + 1, text.length() - 1)));
    }

    private static int number(String digits) {
        try {
            return Math.max(-1, Integer.parseInt(digits));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static String moduleOf(String file) {
        String name = file.substring(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
        int extension = name.lastIndexOf('.');
        return extension > 0 ? name.substring(0, extension) : name;
    }
}
