package dev.meshguard.server.line.internal;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
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

    private final AllocationDetails unowned;
    private final String suffixOfOwners;
    private final Map<Integer, Optional<Origin>> stacks = new HashMap<>();
    private final Map<Integer, AllocationDetails> owners = new HashMap<>();

    /**
     * Creates empty definitions.
     *
     * @param unowned the details of memory without an owner
     * @param suffixOfOwners makes the owners of this connection differ from those of others
     */
    public Definitions(AllocationDetails unowned, String suffixOfOwners) {
        this.unowned = unowned;
        this.suffixOfOwners = suffixOfOwners;
    }

    /** Adds the call stack that a line defines. */
    public void addStack(JsonLine line) {
        add(stacks, line, origin(line.texts("frames", MAX_FRAMES)));
    }

    /** Adds the owner that a line defines. */
    public void addOwner(JsonLine line) {
        add(owners, line, owned(line));
    }

    private <T> void add(Map<Integer, T> known, JsonLine line, T definition) {
        int id = (int) line.number("id", 1, Integer.MAX_VALUE);
        if (known.size() >= MAX_IDS && !known.containsKey(id)) {
            throw new InvalidLineException("defines more than " + MAX_IDS + " ids, which is the limit. Use ids again");
        }
        known.put(id, definition);
    }

    /** Returns the call stack of a report, or nothing if it has none. */
    public Optional<Origin> stack(JsonLine line) {
        return line.isList("stack")
                ? origin(line.texts("stack", MAX_FRAMES))
                : find(stacks, line, "stack", Optional.empty());
    }

    /** Returns the details of memory that the owner of a report owns, if it has one. */
    public AllocationDetails details(JsonLine line) {
        return line.object("owner").map(this::owned).orElseGet(() -> find(owners, line, "owner", unowned));
    }

    private <T> T find(Map<Integer, T> known, JsonLine line, String key, T absent) {
        int id = line.number(key);
        if (id != 0 && !known.containsKey(id)) {
            throw new InvalidLineException("names " + key + " " + id + ", which it did not define");
        }
        return known.getOrDefault(id, absent);
    }

    /** A lifetime decides who must free the memory, so a wrong one must not be guessed. */
    private AllocationDetails owned(JsonLine owner) {
        String name = owner.text("name").orElse("without a name") + suffixOfOwners;
        return unowned.ownedBy(new Owner(owner.choice("kind", Owner.Kind.class).orElse(Owner.Kind.OTHER), name))
                .withLifetime(owner.choice("lifetime", BufferLifetime.class).orElse(BufferLifetime.USER));
    }

    private static Optional<Origin> origin(List<String> texts) {
        return texts.isEmpty()
                ? Optional.empty()
                : Optional.of(new Origin(texts.stream().map(Definitions::frame).toList()));
    }

    /** Reads {@code function (file:line)}; a text of another form is the name of a function. */
    private static StackTraceElement frame(String text) {
        int open = text.lastIndexOf(" (");
        int colon = text.lastIndexOf(':');
        if (open < 1 || colon < open || !text.endsWith(")")) {
            return new StackTraceElement("", text, null, -1);
        }
        String file = text.substring(open + 2, colon);
        String digits = text.substring(colon + 1, text.length() - 1);
        int number = digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : -1;
        return new StackTraceElement(moduleOf(file), text.substring(0, open), file, number);
    }

    private static String moduleOf(String file) {
        String name = file.substring(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
        int extension = name.lastIndexOf('.');
        return extension > 0 ? name.substring(0, extension) : name;
    }
}
