package dev.meshguard.handle;

import dev.meshguard.text.Quantities;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Visits all objects that the roots hold, the nearest first, until it has visited every target.
 *
 * <p>It runs no code of the program under test. Fields are read where the program's module permits it. The JDK's containers are
 * asked for their contents. Of all other objects only the class is known.
 *
 * <p>Not safe for use by several threads, and for one use: it holds everything that it visited.
 */
final class Walk {

    /** The maximum number of visited objects. */
    static final int MAX_OBJECTS = 200_000;

    /** Bounds references too, because a container may hold far more references than distinct objects. */
    private static final int MAX_REFERENCES = 16 * MAX_OBJECTS;

    private record Visited(Object object, Path path) {}

    private final Predicate<Class<?>> partsOfHandles;
    private final JdkReferences ofTheJdk;
    private final Set<Object> targets = Collections.newSetFromMap(new IdentityHashMap<>());
    private final IdentityHashMap<Object, Path> found = new IdentityHashMap<>();
    private final Set<Object> visited = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Visited> open = new ArrayDeque<>();
    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    private final TreeSet<String> unread = new TreeSet<>();
    private int references;
    private boolean boundHit;

    /**
     * Prepares to search.
     *
     * @param partsOfHandles the classes that are {@link PartOfHandle} without the annotation
     */
    Walk(Collection<Object> targets, Predicate<Class<?>> partsOfHandles, JdkReferences ofTheJdk) {
        this.targets.addAll(targets);
        this.partsOfHandles = partsOfHandles;
        this.ofTheJdk = ofTheJdk;
    }

    /** Starts at an object. */
    void from(Object root) {
        visit(root, Path.ofRoot(root.getClass()));
    }

    /** Starts at the static fields of a class. */
    void fromStaticsOf(Class<?> type) {
        visitFields(fieldsOf(type, true), null, type, Path.ofRoot(type));
    }

    /** Visits what thread locals hold, unless everything was found. Those who read of unread classes look for them elsewhere. */
    void traverseThreadLocals() {
        if (goesOn()) {
            List<String> before = unread();
            ofTheJdk.threadLocals()
                    .forEach((thread, values) -> values.forEach(value -> visit(value, Path.ofThreadLocal(thread))));
            traverse();
            unread.retainAll(before);
        }
    }

    /** Visits what static fields of classes hold that have run; the others are unread. */
    void traverseStaticsOf(Collection<Class<?>> begun) {
        List<Class<?>> usable = InitializedClasses.of(begun);
        usable.forEach(this::fromStaticsOf);
        traverse();
        begun.stream()
                .filter(type -> !usable.contains(type))
                .map(Class::getName)
                .forEach(unread::add);
    }

    void traverse() {
        for (Visited next = open.poll(); next != null && goesOn(); next = open.poll()) {
            visitContents(next.object(), next.path());
        }
    }

    /** Returns the path to a target, if it was visited. */
    Optional<List<String>> pathTo(Object target) {
        return Optional.ofNullable(found.get(target)).map(Path::steps);
    }

    /** Returns a step for the objects that were not visited, if the search stopped at its bound. */
    List<String> beyond() {
        return boundHit
                ? List.of("something beyond the " + Quantities.count(visited.size(), "object") + " that were searched")
                : List.of();
    }

    /** Returns the names of the classes with unreadable parts. */
    List<String> unread() {
        return List.copyOf(unread);
    }

    /** Returns whether a target was not found yet. */
    boolean goesOn() {
        return !boundHit && found.size() < targets.size();
    }

    /** Visits a root, or an object that a visited one holds. */
    private void visit(@Nullable Object held, Path path) {
        if (held == null || !goesOn()) {
            return;
        }
        if (visited.size() >= MAX_OBJECTS || ++references > MAX_REFERENCES) {
            boundHit = true;
        } else if (!JavaTypes.isLeaf(held.getClass()) && visited.add(held)) {
            if (targets.contains(held)) {
                found.put(held, path);
            }
            open.add(new Visited(held, path));
        }
    }

    private void visitContents(Object holder, Path path) {
        Class<?> type = holder.getClass();
        if (JavaTypes.endsPath(type)) {
            return;
        }
        try {
            if (holder instanceof Object[] array) {
                visitElements(Arrays.asList(array), index -> path.index(type, index));
            } else if (!JavaTypes.isOfTheJdk(type)) {
                visitObject(holder, path);
            } else if (ofTheJdk.viewedBy(holder).isPresent()) {
                visit(ofTheJdk.viewedBy(holder).orElseThrow(), path);
            } else if (holder instanceof Map<?, ?> map && JavaTypes.isOpenContainer(type)) {
                visitMap(map, path);
            } else if (isInOrder(holder)) {
                visitElements(contentsOf(holder), index -> path.index(type, index));
            } else {
                String part = holder instanceof Collection<?> ? "an element" : "";
                visitElements(contentsOf(holder), unused -> path.inside(type, part));
            }
        } catch (RuntimeException | StackOverflowError changedMeanwhile) {
            unread.add(type.getName());
        }
    }

    private void visitElements(Iterable<?> elements, IntFunction<Path> paths) {
        int index = 0;
        for (Object element : elements) {
            if (!goesOn()) {
                return;
            }
            visit(element, paths.apply(index++));
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
            if (!goesOn()) {
                return;
            }
            Object key = entry.getKey();
            visit(entry.getValue(), key == null ? path.inside(type, "the value of null") : path.key(type, key));
            visit(key, path.inside(type, "a key"));
        }
    }

    /** The iteration order of a priority queue is not the order of its elements. */
    private static boolean isInOrder(Object container) {
        return container instanceof List<?>
                || container instanceof AtomicReferenceArray<?>
                || (container instanceof Queue<?>
                        && !(container instanceof PriorityQueue<?>)
                        && !(container instanceof PriorityBlockingQueue<?>));
    }

    /** Returns the contents of an object of the JDK that is no map. Its own fields are closed, so nothing else is known. */
    private static Iterable<?> contentsOf(Object holder) {
        if (holder instanceof Collection<?> collection && JavaTypes.isOpenContainer(holder.getClass())) {
            return collection;
        } else if (holder instanceof AtomicReferenceArray<?> array) {
            return IntStream.range(0, array.length())
                    .<Object>mapToObj(array::get)
                    .toList();
        } else if (holder instanceof Map.Entry<?, ?> entry) {
            return Arrays.asList(entry.getKey(), entry.getValue());
        } else if (holder instanceof Optional<?> optional) {
            return optional.stream().toList();
        } else if (holder instanceof AtomicReference<?> reference) {
            return Collections.singletonList(reference.get());
        } else if (holder instanceof CompletableFuture<?> future
                && future.isDone()
                && !future.isCompletedExceptionally()) {
            return Collections.singletonList(future.getNow(null));
        } else if (holder instanceof FutureTask<?> task && task.isDone() && !task.isCancelled()) {
            return resultOf(task);
        }
        return List.of();
    }

    private static List<?> resultOf(FutureTask<?> done) {
        try {
            return Collections.singletonList(done.get());
        } catch (InterruptedException | ExecutionException noResult) {
            return List.of();
        }
    }

    private void visitObject(Object holder, Path path) {
        Class<?> type = holder.getClass();
        for (Class<?> part = type; part != null && !JavaTypes.isOfTheJdk(part); part = part.getSuperclass()) {
            visitFields(fields.computeIfAbsent(part, known -> fieldsOf(known, false)), holder, type, path);
        }
        // Inherited contents of the program's own collection are only accessible through methods that it may override.
        if (holder instanceof Collection<?> || holder instanceof Map<?, ?>) {
            unread.add(type.getName());
        }
    }

    /** Visits the values of fields of an object of a type, or of static fields if there is no object. */
    private void visitFields(List<Field> some, @Nullable Object holder, Class<?> type, Path path) {
        boolean isPart = type.isAnnotationPresent(PartOfHandle.class) || partsOfHandles.test(type);
        for (Field field : some) {
            try {
                visit(field.get(holder), isPart ? path : path.field(type, field));
            } catch (IllegalAccessException | LinkageError closed) {
                unread.add(type.getName());
            }
        }
    }

    /** Returns the readable fields that a class declares and that may lead to an object. */
    private List<Field> fieldsOf(Class<?> type, boolean areStatic) {
        List<Field> readable = new ArrayList<>();
        try {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) == areStatic && !JavaTypes.isLeaf(field.getType())) {
                    field.setAccessible(true);
                    readable.add(field);
                }
            }
        } catch (InaccessibleObjectException | SecurityException | LinkageError closed) {
            unread.add(type.getName());
        }
        return readable;
    }
}
