package dev.meshguard.server.frame.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The texts, call stacks and owners that one connection has defined, by their ids.
 *
 * <p>A later definition of an id replaces the earlier one, so that a client can use ids again. Beyond {@value #MAX_IDS} ids of a kind, or
 * without memory for them, definitions are ignored. Not safe for use by several threads.
 */
public final class Definitions {

    /** The largest number of ids of each kind. */
    public static final int MAX_IDS = 65_536;

    private static final int MAX_TEXT = 4096;
    private static final int MAX_LINES = 128;

    private static final int BYTES_OF_ENTRY = 128;
    private static final int BYTES_OF_LINE = 64;

    /**
     * An owner, and who frees what it owns.
     *
     * @param owner the owner, whose name is unique in the history
     * @param lifetime the lifetime of its memory
     */
    public record KnownOwner(Owner owner, BufferLifetime lifetime) {}

    private final FrameMemory memory;
    private final String suffixOfOwners;
    private final Map<Integer, String> texts = new HashMap<>();
    private final Map<Integer, Origin> stacks = new HashMap<>();
    private final Map<Integer, KnownOwner> owners = new HashMap<>();
    private @Nullable String problem;

    /**
     * Creates empty definitions.
     *
     * @param suffixOfOwners makes the owners of this connection differ from those of others
     */
    public Definitions(FrameMemory memory, String suffixOfOwners) {
        this.memory = memory;
        this.suffixOfOwners = suffixOfOwners;
    }

    /** Adds a text. */
    public void add(Frame.Text text) {
        String kept = cut(text.text());
        if (hasRoom(texts, text.id(), 2L * kept.length())) {
            texts.put(text.id(), kept);
        }
    }

    private static String cut(String text) {
        if (text.length() <= MAX_TEXT) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(MAX_TEXT - 1)) ? MAX_TEXT - 1 : MAX_TEXT);
    }

    /** Adds a call stack. */
    public void add(Frame.Stack stack) {
        List<Frame.Line> lines =
                stack.lines().subList(0, Math.min(MAX_LINES, stack.lines().size()));
        if (!lines.isEmpty() && hasRoom(stacks, stack.id(), (long) BYTES_OF_LINE * lines.size())) {
            List<StackTraceElement> frames = new ArrayList<>(lines.size());
            lines.forEach(line -> frames.add(frame(line)));
            stacks.put(stack.id(), new Origin(frames));
        }
    }

    private StackTraceElement frame(Frame.Line line) {
        String file = texts.get(line.file());
        String function = text(line.function()).orElse("?");
        return new StackTraceElement(file == null ? "" : moduleOf(file), function, file, Math.max(-1, line.number()));
    }

    private static String moduleOf(String file) {
        String name = file.substring(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
        int extension = name.lastIndexOf('.');
        return extension > 0 ? name.substring(0, extension) : name;
    }

    /** Adds an owner. */
    public void add(Frame.OwnerDefinition definition) {
        if (hasRoom(owners, definition.id(), BYTES_OF_ENTRY)) {
            String name = text(definition.name()).orElse("without a name") + suffixOfOwners;
            owners.put(definition.id(), new KnownOwner(new Owner(definition.kind(), name), definition.lifetime()));
        }
    }

    private boolean hasRoom(Map<Integer, ?> known, int id, long bytes) {
        if (id == 0) {
            return false;
        }
        if (known.size() >= MAX_IDS && !known.containsKey(id)) {
            problem = String.format(
                    Locale.ROOT,
                    "defined more than %d texts, call stacks or owners, which is the limit, so later ones are not shown. Use ids again",
                    MAX_IDS);
            return false;
        }
        if (!memory.take(BYTES_OF_ENTRY + bytes)) {
            problem = String.format(
                    Locale.ROOT,
                    "defined texts and call stacks, and all clients together have used up the %d bytes for them, so later ones are not"
                            + " shown. Allow the server a larger heap (-Xmx)",
                    memory.limit());
            return false;
        }
        return true;
    }

    /** Returns a text that is not blank. */
    public Optional<String> text(int id) {
        return Optional.ofNullable(texts.get(id)).filter(text -> !text.isBlank());
    }

    /** Returns a call stack. */
    public Optional<Origin> stack(int id) {
        return Optional.ofNullable(stacks.get(id));
    }

    /** Returns an owner. */
    public Optional<KnownOwner> owner(int id) {
        return Optional.ofNullable(owners.get(id));
    }

    /** Returns why some definitions were ignored; the sentence begins with the name of the connection. */
    public Optional<String> problem() {
        return Optional.ofNullable(problem);
    }
}
