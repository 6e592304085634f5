package dev.meshguard.handle;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the objects that an object holds without running code of the program under test.
 *
 * <p>Fields are read where the program's module permits it. The JDK's containers are asked for their contents. Of all
 * other objects only the class is known.
 */
final class ObjectFields {

    /** Receives one object after the other. */
    interface Visitor {

        /** Returns whether to continue. */
        boolean visit(Object held, Path path);
    }

    private final Visitor visitor;
    private final Predicate<Class<?>> partsOfHandles;
    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    private final Map<Class<?>, Boolean> ends = new HashMap<>();
    private final Map<Class<?>, Boolean> isPartOfHandle = new HashMap<>();
    private final TreeSet<String> unread = new TreeSet<>();

    /**
     * Prepares to read objects.
     *
     * @param partsOfHandles the classes that are {@link PartOfHandle} without the annotation
     */
    ObjectFields(Visitor visitor, Predicate<Class<?>> partsOfHandles) {
        this.visitor = visitor;
        this.partsOfHandles = partsOfHandles;
    }

    /** Returns the names of the classes with unreadable parts. */
    List<String> unread() {
        return List.copyOf(unread);
    }

    /** Visits the values of a class's static fields. */
    void visitStatics(Class<?> type) {
        visitFields(type, null, type, Path.ofRoot(JavaTypes.nameOf(type)));
    }

    /** Visits the objects that an object holds. */
    void visitContents(Object holder, Path path) {
        Class<?> type = holder.getClass();
        if (ends.computeIfAbsent(type, JavaTypes::endsPath)) {
            return;
        }
        try {
            if (holder instanceof Object[] array) {
                visitElements(Arrays.asList(array), index -> path.index(type, index));
            } else if (!JavaTypes.isOfTheJdk(type)) {
                visitObject(holder, path);
            } else if (!JavaTypes.isOpenContainer(type)) {
                visitHolder(holder, path);
            } else if (holder instanceof Map<?, ?> map) {
                visitMap(map, path);
            } else if (holder instanceof Collection<?> collection) {
                boolean isInOrder = isInOrder(collection);
                visitElements(
                        collection, index -> isInOrder ? path.index(type, index) : path.inside(type, "an element"));
            }
        } catch (RuntimeException | StackOverflowError changedMeanwhile) {
            unread.add(type.getName());
        }
    }

    private void visitElements(Iterable<?> elements, IntFunction<Path> paths) {
        int index = 0;
        for (Object element : elements) {
            if (!visit(element, paths.apply(index))) {
                return;
            }
            index++;
        }
    }

    private void visitMap(Map<?, ?> map, Path path) {
        Class<?> type = map.getClass();
        // Nothing holds its keys, and a reported path would hold them.
        if (map instanceof WeakHashMap<?, ?>) {
            visitElements(map.values(), unused -> path.inside(type, "a value"));
            return;
        }
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            Object key = entry.getKey();
            Path toValue = key == null ? path.inside(type, "the value of null") : path.key(type, key);
            if (!visit(entry.getValue(), toValue) || !visit(key, path.inside(type, "a key"))) {
                return;
            }
        }
    }

    /** The iteration order of a priority queue is not the order of its elements. */
    private static boolean isInOrder(Collection<?> collection) {
        return collection instanceof List<?>
                || (collection instanceof Queue<?>
                        && !(collection instanceof PriorityQueue<?>)
                        && !(collection instanceof PriorityBlockingQueue<?>));
    }

    /** The JDK's own fields are closed, so this is all that is known of objects that are no containers. */
    private void visitHolder(Object holder, Path path) {
        Class<?> type = holder.getClass();
        if (holder instanceof AtomicReferenceArray<?> array) {
            visitElements(
                    IntStream.range(0, array.length())
                            .<Object>mapToObj(array::get)
                            .toList(),
                    index -> path.index(type, index));
        } else if (holder instanceof Map.Entry<?, ?> entry) {
            visit(entry.getKey(), path.inside(type, ""));
            visit(entry.getValue(), path.inside(type, ""));
        } else if (holder instanceof Optional<?> optional) {
            visit(optional.orElse(null), path.inside(type, ""));
        } else if (holder instanceof AtomicReference<?> reference) {
            visit(reference.get(), path.inside(type, ""));
        } else if (holder instanceof CompletableFuture<?> future
                && future.isDone()
                && !future.isCompletedExceptionally()) {
            visit(future.getNow(null), path.inside(type, ""));
        }
    }

    private void visitObject(Object holder, Path path) {
        Class<?> type = holder.getClass();
        for (Class<?> part = type; part != null && !JavaTypes.isOfTheJdk(part); part = part.getSuperclass()) {
            visitFields(part, holder, type, path);
        }
        // Inherited contents of the program's own collection are only accessible through methods that it may override.
        if (holder instanceof Collection<?> || holder instanceof Map<?, ?>) {
            unread.add(type.getName());
        }
    }

    /** Visits the fields that a class declares: of an object of a type, or the static ones if there is none. */
    private void visitFields(Class<?> part, @Nullable Object holder, Class<?> type, Path path) {
        boolean isPart = isPartOfHandle.computeIfAbsent(
                type, known -> known.isAnnotationPresent(PartOfHandle.class) || partsOfHandles.test(known));
        for (Field field : fields.computeIfAbsent(part, this::readableFieldsOf)) {
            if (Modifier.isStatic(field.getModifiers()) != (holder == null)) {
                continue;
            }
            try {
                if (!visit(field.get(holder), isPart ? path : path.field(type, field))) {
                    return;
                }
            } catch (IllegalAccessException | LinkageError closed) {
                unread.add(type.getName());
            }
        }
    }

    private List<Field> readableFieldsOf(Class<?> type) {
        List<Field> found = new ArrayList<>();
        try {
            for (Field field : type.getDeclaredFields()) {
                if (!JavaTypes.isLeaf(field.getType())) {
                    field.setAccessible(true);
                    found.add(field);
                }
            }
        } catch (InaccessibleObjectException | SecurityException | LinkageError closed) {
            unread.add(type.getName());
        }
        return found;
    }

    private boolean visit(@Nullable Object held, Path path) {
        return held == null || visitor.visit(held, path);
    }
}
