package dev.meshguard.weave;

import dev.meshguard.weave.ObjectPlan.Role;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The types that one watcher watches. */
final class ObjectWatch {

    private final ObjectWatcher watcher;
    private final ClassHierarchy hierarchy;
    private final int firstReceiver;
    /** Set when loaded classes may need other calls than they have. */
    private final AtomicBoolean isStale;
    /** The closing methods by the internal name of the watched type. */
    private final Map<String, Set<String>> watched = new ConcurrentHashMap<>();
    /** The same for classes from which watched objects inherit. */
    private final Map<String, Set<String>> inherited = new ConcurrentHashMap<>();

    /** The watched types that were loaded and looked at. */
    private final Set<String> examined = ConcurrentHashMap.newKeySet();

    ObjectWatch(ObjectWatcher watcher, ClassHierarchy hierarchy, int firstReceiver, AtomicBoolean isStale) {
        this.watcher = watcher;
        this.hierarchy = hierarchy;
        this.firstReceiver = firstReceiver;
        this.isStale = isStale;
    }

    ObjectWatcher watcher() {
        return watcher;
    }

    boolean isOf(ObjectWatcher other) {
        return watcher.equals(other);
    }

    /** Watches another type, and returns whether that is new. */
    boolean add(WatchedType type) {
        return addTo(watched, type.className().replace('.', '/'), type.closingMethods());
    }

    /** Learns from its class file, if the loader has one, from which classes a type that is not loaded inherits. */
    void find(WatchedType type, @Nullable ClassLoader loader) {
        planOf(type.className().replace('.', '/'), loader);
    }

    private static boolean addTo(Map<String, Set<String>> types, String name, Set<String> closingMethods) {
        Set<String> before = types.getOrDefault(name, Set.of());
        types.merge(name, closingMethods, ObjectWatch::union);
        return !before.containsAll(closingMethods);
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        return Stream.of(some, others).flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns what is added to a class. */
    Optional<ClassPlan> planOf(String name, @Nullable ClassLoader loader) {
        Set<String> ancestors = hierarchy.ancestors(name, loader);
        Set<String> closingMethods = Stream.concat(Stream.of(name), ancestors.stream())
                .flatMap(type -> watched.getOrDefault(type, Set.of()).stream())
                .collect(Collectors.toSet());
        if (closingMethods.isEmpty()) {
            return Optional.ofNullable(inherited.get(name))
                    .map(methods -> new ObjectPlan(Role.ANCESTOR, methods, firstReceiver));
        }
        boolean areNew = false;
        for (String ancestor : ancestors) {
            areNew |= addTo(inherited, ancestor, closingMethods);
        }
        if (areNew) {
            isStale.set(true);
        }
        boolean isSubclass = hierarchy
                .superclass(name, loader)
                .filter(parent -> watched.containsKey(parent)
                        || hierarchy.ancestors(parent, loader).stream().anyMatch(watched::containsKey))
                .isPresent();
        return Optional.of(new ObjectPlan(isSubclass ? Role.SUBCLASS : Role.UPPERMOST, closingMethods, firstReceiver));
    }

    boolean isToExamine(String name) {
        return watched.containsKey(name) && !examined.contains(name);
    }

    /** Tells the watcher if objects of a class that it named, and that is loaded now, cannot be seen. */
    void examine(Class<?> loaded) {
        String name = ClassHierarchy.nameOf(loaded);
        if (isToExamine(name) && examined.add(name)) {
            problemOf(loaded, watched.getOrDefault(name, Set.of()))
                    .ifPresent(problem -> watcher.notWatched(loaded.getName(), problem));
        }
    }

    /** Returns what keeps objects of a named class from being seen. */
    static Optional<String> problemOf(Class<?> named, Set<String> closingMethods) {
        if (named.isInterface() && isForLambdas(named)) {
            return Optional.of("objects of lambda expressions cannot be seen. Name the classes that implement it.");
        }
        if (!Modifier.isAbstract(named.getModifiers()) && !hasClosingMethod(named, closingMethods)) {
            return Optional.of("it has no closing method " + new TreeSet<>(closingMethods)
                    + " with code and without parameters. Name the one that closes it.");
        }
        return Optional.empty();
    }

    private static boolean isForLambdas(Class<?> named) {
        return Arrays.stream(named.getMethods())
                        .filter(method -> Modifier.isAbstract(method.getModifiers()))
                        .map(Method::getName)
                        .distinct()
                        .count()
                == 1;
    }

    private static boolean hasClosingMethod(Class<?> named, Set<String> closingMethods) {
        boolean isDeclared = Stream.<Class<?>>iterate(named, Objects::nonNull, Class::getSuperclass)
                .anyMatch(type -> ObjectPlan.declaresClosingMethod(type, closingMethods));
        return isDeclared
                || Arrays.stream(named.getMethods()).anyMatch(method -> ObjectPlan.isClosing(method, closingMethods));
    }
}
