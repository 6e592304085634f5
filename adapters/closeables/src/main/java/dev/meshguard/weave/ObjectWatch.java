package dev.meshguard.weave;

import dev.meshguard.weave.ObjectPlan.Role;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The objects that one watcher watches. */
final class ObjectWatch implements Watch {

    private final ObjectWatcher watcher;
    private final ClassHierarchy hierarchy;
    private final int firstReceiver;
    /** The closing methods by the internal name of the watched type. */
    private final Map<String, Set<String>> watched = new ConcurrentHashMap<>();
    /** The same for all types from which watched objects inherit. */
    private final Map<String, Set<String>> inherited = new ConcurrentHashMap<>();
    /** The watched types that were looked at after they had been loaded. */
    private final Set<String> examined = ConcurrentHashMap.newKeySet();
    /** How deep each thread is in closing methods of an object. */
    private final Map<Closing, Integer> depths = new ConcurrentHashMap<>();

    ObjectWatch(ObjectWatcher watcher, ClassHierarchy hierarchy, Receivers receivers) {
        this.watcher = watcher;
        this.hierarchy = hierarchy;
        // In the order of ObjectPlan.Call.
        this.firstReceiver = receivers.add(this, (object, unused) -> watcher.constructed(object));
        receivers.add(this, (object, unused) -> watcher.constructionFailed(object));
        receivers.add(this, (object, unused) -> depths.merge(Closing.of(object), 1, Integer::sum));
        receivers.add(this, (object, unused) -> {
            if (isOutermost(object)) {
                watcher.closed(object);
            }
        });
        receivers.add(this, (object, reason) -> {
            if (isOutermost(object) && reason instanceof Throwable thrown) {
                watcher.closeFailed(object, thrown);
            }
        });
    }

    /** Objects are compared by identity. */
    private record Closing(Object object, Thread thread) {

        static Closing of(Object object) {
            return new Closing(object, Thread.currentThread());
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // Objects of the code under test are identities.
        public boolean equals(@Nullable Object other) {
            return other instanceof Closing closing && closing.object == object && closing.thread == thread;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }
    }

    /** Leaves a closing method; one that was entered while no scope was open is none. */
    private boolean isOutermost(Object object) {
        Closing closing = Closing.of(object);
        return depths.containsKey(closing)
                && depths.computeIfPresent(closing, (unused, depth) -> depth == 1 ? null : depth - 1) == null;
    }

    @Override
    public Object watcher() {
        return watcher;
    }

    /** Returns whether a type is watched already, with all its closing methods. */
    boolean watches(WatchedType type) {
        return watched.getOrDefault(ClassHierarchy.internal(type.className()), Set.of())
                .containsAll(type.closingMethods());
    }

    /** Watches another type. */
    void add(WatchedType type) {
        add(watched, type.className(), type.closingMethods());
    }

    /** Adds methods of a class to those of others, and returns whether one is new. Threads that load classes do it, too. */
    static boolean add(Map<String, Set<String>> methods, String className, Set<String> added) {
        String name = ClassHierarchy.internal(className);
        Set<String> before = methods.putIfAbsent(name, added);
        while (before != null && !before.containsAll(added)) {
            Set<String> all = new HashSet<>(before);
            all.addAll(added);
            if (methods.replace(name, before, all)) {
                return true;
            }
            before = methods.get(name);
        }
        return before == null;
    }

    @Override
    public Optional<ClassPlan> planOf(String name, @Nullable ClassLoader loader) {
        if (!hierarchy.inherits(name, loader, watched::containsKey)) {
            return Optional.ofNullable(inherited.get(name))
                    .map(methods -> new ObjectPlan(Role.ANCESTOR, methods, firstReceiver));
        }
        Set<String> types = hierarchy.withSupertypes(name, loader);
        Set<String> closingMethods = types.stream()
                .flatMap(type -> watched.getOrDefault(type, Set.of()).stream())
                .collect(Collectors.toSet());
        boolean areNew = watched.containsKey(name) && !examined.contains(name);
        for (String type : types) {
            areNew |= add(inherited, type, closingMethods);
        }
        if (areNew) {
            hierarchy.isStale().set(true);
        }
        boolean isSubclass = hierarchy.inherits(hierarchy.superclass(name, loader), loader, watched::containsKey);
        return Optional.of(new ObjectPlan(isSubclass ? Role.SUBCLASS : Role.UPPERMOST, closingMethods, firstReceiver));
    }

    @Override
    public void examine(Class<?> loaded) {
        String name = ClassHierarchy.nameOf(loaded);
        Set<String> closingMethods = watched.get(name);
        if (closingMethods != null && examined.add(name)) {
            problemOf(loaded, closingMethods).ifPresent(problem -> notWatched(loaded.getName(), problem));
        }
    }

    @Override
    public void notWatched(String className, String reason) {
        watcher.notWatched(className, reason);
    }

    /** Forgets closing methods that return when nothing reports that. */
    @Override
    public void allScopesClosed() {
        depths.clear();
    }

    /** Returns what keeps objects of a named class from being seen. */
    static Optional<String> problemOf(Class<?> named, Set<String> closingMethods) {
        if (WatchedType.isForLambdas(named)) {
            return Optional.of(
                    "it is an interface with one method, and objects of lambda expressions cannot be seen. Name the classes that implement it.");
        }
        if (!Modifier.isAbstract(named.getModifiers()) && !hasClosingMethod(named, closingMethods)) {
            return Optional.of("it has no method " + new TreeSet<>(closingMethods)
                    + " with code and without parameters. Name the method that closes it.");
        }
        return Optional.empty();
    }

    private static boolean hasClosingMethod(Class<?> named, Set<String> closingMethods) {
        boolean isDeclared = Stream.<Class<?>>iterate(named, Objects::nonNull, Class::getSuperclass)
                .anyMatch(type -> ObjectPlan.declaresClosingMethod(type, closingMethods));
        return isDeclared
                || Arrays.stream(named.getMethods()).anyMatch(method -> ObjectPlan.isClosing(method, closingMethods));
    }
}
