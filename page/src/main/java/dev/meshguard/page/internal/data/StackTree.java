package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.Origin;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The call stacks of allocations, merged into one tree of frames, so that a page can sum up any part of a run by origin.
 *
 * <p>An allocation without a call stack has its type and its label or owner as frames. If there are too many frames, further
 * stacks end at their last known caller.
 */
final class StackTree {

    static final int MAX_FRAMES = 50_000;

    private static final int MAX_DEPTH = 60;
    private static final int ROOT = -1;

    private record Frame(int parent, int name) {}

    private final Texts texts;
    private final IdentityHashMap<Origin, List<String>> paths = new IdentityHashMap<>();
    private final Map<List<String>, Integer> places = new HashMap<>();
    private final Map<Frame, Integer> frames = new HashMap<>();
    private final Columns columns = new Columns("parent", "name");

    StackTree(Texts texts) {
        this.texts = texts;
    }

    /** Returns the frames of an allocation, the outermost first. */
    List<String> path(BufferGeneration generation) {
        Optional<Origin> origin =
                generation.origin().filter(found -> !found.frames().isEmpty());
        if (origin.isEmpty()) {
            return List.of(
                    generation.type().name(),
                    generation
                            .label()
                            .map(Quantities::quoted)
                            .or(() -> generation.owner().map(Object::toString))
                            .orElse("unlabelled"));
        }
        return paths.computeIfAbsent(origin.get(), StackTree::outermostFirst);
    }

    private static List<String> outermostFirst(Origin origin) {
        List<String> frames = frames(origin);
        List<String> path = new ArrayList<>(frames.size());
        for (int i = frames.size() - 1; i >= 0; i--) {
            path.add(frames.get(i));
        }
        return path;
    }

    /** Returns the shown frames of a call stack, the innermost first. */
    static List<String> frames(Origin origin) {
        return origin.frames().stream().limit(MAX_DEPTH).map(Object::toString).toList();
    }

    /** Returns the index of the innermost frame of an allocation. */
    int index(BufferGeneration generation) {
        return places.computeIfAbsent(path(generation), this::place);
    }

    private int place(List<String> path) {
        int parent = ROOT;
        for (String name : path) {
            Frame frame = new Frame(parent, texts.index(name));
            Integer known = frames.get(frame);
            if (known == null) {
                if (frames.size() == MAX_FRAMES) {
                    return parent;
                }
                known = frames.size();
                frames.put(frame, known);
                columns.row(frame.parent(), frame.name());
            }
            parent = known;
        }
        return parent;
    }

    void write(JsonGenerator json) throws IOException {
        columns.write("stacks", json);
    }
}
