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
        boolean visit(Object held, Link link);
    }

    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    private final Map<Class<?>, Boolean> ends = new HashMap<>();
    private final Map<Class<?>, Boolean> isPartOfHandle = new HashMap<>();
    private final Predicate<Class<?>> partsOfHandles;
    private final TreeSet<String> unread = new TreeSet<>();

    /**
     * Prepares to read objects.
     *
     * @param partsOfHandles the classes that are {@link PartOfHandle} without the annotation
     */
    ObjectFields(Predicate<Class<?>> partsOfHandles) {
        this.partsOfHandles = partsOfHandles;
    }

    /** Returns the names of the classes with unreadable parts. */
    List<String> unread() {
        return List.copyOf(unread);
    }

    /** Visits the values of a class's static fields. */
    void ofClass(Class<?> type, Visitor visitor) {
        for (Field field : declared(type)) {
            if (Modifier.isStatic(field.getModifiers()) && !describe(field, null, type, visitor)) {
                return;
            }
        }
    }

    /** Visits the objects that an object holds. */
    void of(Object holder, Visitor visitor) {
        Class<?> type = holder.getClass();
        if (ends.computeIfAbsent(type, JavaTypes::endsPath)) {
            return;
        }
        try {
            if (holder instanceof Object[] array) {
                ofElements(Arrays.asList(array), index -> Link.atIndex(type, index), visitor);
            } else if (JavaTypes.isOpenContainer(type)) {
                ofContainer(holder, visitor);
            } else if (JavaTypes.isOfTheJdk(type)) {
                ofHolder(holder, visitor);
            } else {
                ofFields(holder, visitor);
            }
        } catch (RuntimeException | StackOverflowError changedMeanwhile) {
            unread.add(type.getName());
        }
    }

    private static void ofElements(Iterable<?> elements, IntFunction<Link> links, Visitor visitor) {
        int index = 0;
        for (Object element : elements) {
            if (element != null && !visitor.visit(element, links.apply(index))) {
                return;
            }
            index++;
        }
    }

    private static void ofContainer(Object container, Visitor visitor) {
        if (container instanceof Map<?, ?> map) {
            ofMap(map, visitor);
        } else if (container instanceof Collection<?> collection) {
            ofCollection(collection, visitor);
        }
    }

    private static void ofMap(Map<?, ?> map, Visitor visitor) {
        Class<?> type = map.getClass();
        // Nothing holds its keys, and a reported path would hold them.
        if (map instanceof WeakHashMap<?, ?>) {
            ofElements(map.values(), index -> Link.inside(type, "a value"), visitor);
            return;
        }
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            Object key = entry.getKey();
            Object value = entry.getValue();
            Link toValue = key == null ? Link.inside(type, "the value of null") : Link.atKey(type, key);
            if (value != null && !visitor.visit(value, toValue)) {
                return;
            }
            if (key != null && !visitor.visit(key, Link.inside(type, "a key"))) {
                return;
            }
        }
    }

    private static void ofCollection(Collection<?> collection, Visitor visitor) {
        Class<?> type = collection.getClass();
        IntFunction<Link> links =
                isInOrder(collection) ? index -> Link.atIndex(type, index) : index -> Link.inside(type, "an element");
        ofElements(collection, links, visitor);
    }

    /** The iteration order of a priority queue is not the order of its elements. */
    private static boolean isInOrder(Collection<?> collection) {
        return collection instanceof List<?>
                || (collection instanceof Queue<?>
                        && !(collection instanceof java.util.PriorityQueue<?>)
                        && !(collection instanceof PriorityBlockingQueue<?>));
    }

    /** The JDK's own fields are closed, so this is all that is known of objects that are no containers. */
    private static void ofHolder(Object holder, Visitor visitor) {
        if (holder instanceof AtomicReferenceArray<?> array) {
            List<Object> elements = IntStream.range(0, array.length())
                    .<Object>mapToObj(array::get)
                    .toList();
            ofElements(elements, index -> Link.atIndex(array.getClass(), index), visitor);
        } else if (holder instanceof Map.Entry<?, ?> entry) {
            describeInside(entry.getKey(), holder, visitor);
            describeInside(entry.getValue(), holder, visitor);
        } else {
            describeInside(valueOf(holder), holder, visitor);
        }
    }

    private static @Nullable Object valueOf(Object holder) {
        if (holder instanceof Optional<?> optional) {
            return optional.orElse(null);
        }
        if (holder instanceof AtomicReference<?> reference) {
            return reference.get();
        }
        if (holder instanceof CompletableFuture<?> future) {
            return future.isDone() && !future.isCompletedExceptionally() ? future.getNow(null) : null;
        }
        return null;
    }

    private static void describeInside(@Nullable Object held, Object holder, Visitor visitor) {
        if (held != null) {
            visitor.visit(held, Link.inside(holder.getClass(), ""));
        }
    }

    private void ofFields(Object holder, Visitor visitor) {
        Class<?> type = holder.getClass();
        for (Class<?> part = type; part != null && !JavaTypes.isOfTheJdk(part); part = part.getSuperclass()) {
            for (Field field : declared(part)) {
                if (!Modifier.isStatic(field.getModifiers()) && !describe(field, holder, type, visitor)) {
                    return;
                }
            }
        }
        // Inherited contents of the program's own collection are only accessible through methods that it may override.
        if (holder instanceof Collection<?> || holder instanceof Map<?, ?>) {
            unread.add(type.getName());
        }
    }

    private boolean describe(Field field, @Nullable Object holder, Class<?> type, Visitor visitor) {
        try {
            Object held = field.get(holder);
            return held == null || visitor.visit(held, linkOf(field, type));
        } catch (IllegalAccessException | LinkageError closed) {
            unread.add(type.getName());
            return true;
        }
    }

    private Link linkOf(Field field, Class<?> type) {
        return isPartOfHandle.computeIfAbsent(type, this::isPartOfHandle) ? Link.hidden() : Link.ofField(type, field);
    }

    private boolean isPartOfHandle(Class<?> type) {
        return type.isAnnotationPresent(PartOfHandle.class) || partsOfHandles.test(type);
    }

    private List<Field> declared(Class<?> type) {
        return fields.computeIfAbsent(type, this::readable);
    }

    private List<Field> readable(Class<?> type) {
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
}
