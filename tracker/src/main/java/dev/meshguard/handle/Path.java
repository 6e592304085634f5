package dev.meshguard.handle;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The fields, elements and keys that lead from a root of a search to an object.
 *
 * <p>The text of a step is made only if a search reports it.
 */
final class Path {

    /** The maximum number of reported steps; the middle of a longer path is omitted. */
    private static final int MAX_STEPS = 8;

    private static final int FIRST_STEPS = 4;

    /** The maximum length of a key that is printed unchanged. */
    private static final int MAX_KEY_LENGTH = 40;

    private final @Nullable Path before;
    private final Supplier<String> step;
    private final int length;
    /** The first steps: a path may be as long as a linked list of all handles, and only its ends are reported. */
    private final Path beginning;

    private Path(@Nullable Path before, Supplier<String> step, int length) {
        this.before = before;
        this.step = step;
        this.length = length;
        this.beginning = before == null || length <= FIRST_STEPS ? this : before.beginning;
    }

    /** Returns the path to a root, which is named by its class, and only if no step follows. */
    static Path ofRoot(Class<?> type) {
        return new Path(null, () -> JavaTypes.nameOf(type), 0);
    }

    /** Returns the path to the value of a thread local. */
    static Path ofThreadLocal(String thread) {
        return new Path(null, () -> "a thread local", 0).then(() -> "a thread local of thread " + description(thread));
    }

    /** Returns the path through a field of a class or of one of its objects. */
    Path field(Class<?> holder, Field field) {
        return then(() -> {
            if (holder.isHidden() || holder.getName().contains("$$Lambda")) {
                return "a lambda";
            }
            String name = field.getName();
            String readable = name.startsWith("val$") ? name.substring("val$".length()) : name;
            // A nested class refers to the enclosing object by a generated field.
            String shown = readable.startsWith("this$") ? "the object around it" : readable;
            return JavaTypes.nameOf(holder.isAnonymousClass() ? holder : field.getDeclaringClass()) + "." + shown;
        });
    }

    /** Returns the path through an index of an array or of an ordered collection. */
    Path index(Class<?> container, int index) {
        return then(() ->
                JavaTypes.nameOf(container.isArray() ? container.getComponentType() : container) + "[" + index + "]");
    }

    /** Returns the path through a key to its value. */
    Path key(Class<?> map, Object key) {
        return then(() -> JavaTypes.nameOf(map) + "[" + description(key) + "]");
    }

    /** Returns the path to a part of a container without indexes; an empty part stands for its only content. */
    Path inside(Class<?> container, String part) {
        return then(() -> part.isEmpty() ? JavaTypes.nameOf(container) : part + " of " + JavaTypes.nameOf(container));
    }

    private Path then(Supplier<String> next) {
        return new Path(this, next, length + 1);
    }

    /** Returns the steps in readable form, the first one first; of a long path the first and the last. */
    List<String> steps() {
        if (length <= MAX_STEPS) {
            return last(Math.max(1, length));
        }
        List<String> steps = new ArrayList<>(beginning.steps());
        steps.add("…");
        steps.addAll(last(MAX_STEPS - FIRST_STEPS - 1));
        return steps;
    }

    private List<String> last(int number) {
        Deque<String> steps = new ArrayDeque<>();
        for (Path at = this; at != null && steps.size() < number; at = at.before) {
            steps.addFirst(at.step.get());
        }
        return List.copyOf(steps);
    }

    /** Returns the text of a key, without running code of the key's class. */
    private static String description(Object key) {
        if (key instanceof String text) {
            String shown = text.length() <= MAX_KEY_LENGTH ? text : text.substring(0, MAX_KEY_LENGTH) + "…";
            return '"' + shown.replaceAll("\\p{Cntrl}", "?") + '"';
        }
        if (key instanceof Enum<?> constant) {
            return constant.name();
        }
        return JavaTypes.isLeaf(key.getClass()) ? key.toString() : JavaTypes.withArticle(key.getClass());
    }
}
