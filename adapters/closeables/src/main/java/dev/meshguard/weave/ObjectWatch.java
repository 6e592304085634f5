package dev.meshguard.weave;

import dev.meshguard.weave.ObjectPlan.Role;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
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
    /** The watched types whose objects inherit from a class, by its internal name. */
    private final Map<String, Set<String>> related = new ConcurrentHashMap<>();
    /** The watched types that were looked at after they had been loaded. */
    private final Set<String> examined = ConcurrentHashMap.newKeySet();
    /** Why objects of classes are not seen, by binary names. */
    private final Map<String, String> problems = new ConcurrentHashMap<>();
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
        add(watched, ClassHierarchy.internal(type.className()), type.closingMethods());
    }

    /** Adds names to those of a class, and returns whether one is new. Threads that load classes do it, too. */
    static boolean add(Map<String, Set<String>> names, String className, Set<String> added) {
        Set<String> before = names.putIfAbsent(className, added);
        while (before != null && !before.containsAll(added)) {
            Set<String> all = new HashSet<>(before);
            all.addAll(added);
            if (names.replace(className, before, all)) {
                return true;
            }
            before = names.get(className);
        }
        return before == null;
    }

    @Override
    public Optional<ClassPlan> planOf(String name, @Nullable ClassLoader loader) {
        if (!hierarchy.inherits(name, loader, watched::containsKey)) {
            return related.containsKey(name) ? Optional.of(planOf(name, Role.ANCESTOR)) : Optional.empty();
        }
        Set<String> supertypes = hierarchy.withSupertypes(name, loader);
        Set<String> types = supertypes.stream().filter(watched::containsKey).collect(Collectors.toSet());
        boolean areNew = watched.containsKey(name) && !examined.contains(name);
        for (String supertype : supertypes) {
            areNew |= add(related, supertype, types);
        }
        if (areNew) {
            hierarchy.isStale().set(true);
        }
        boolean isSubclass = hierarchy.inherits(hierarchy.superclass(name, loader), loader, watched::containsKey);
        return Optional.of(planOf(name, isSubclass ? Role.SUBCLASS : Role.UPPERMOST));
    }

    private ObjectPlan planOf(String name, Role role) {
        Set<String> closingMethods = related.getOrDefault(name, Set.of()).stream()
                .flatMap(type -> watched.getOrDefault(type, Set.of()).stream())
                .collect(Collectors.toSet());
        return new ObjectPlan(role, closingMethods, firstReceiver);
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
        problems.put(className, reason);
    }

    /** Returns the classes of which some objects of these types are not seen, each with the reason. */
    Map<String, String> unseen(Collection<WatchedType> types) {
        Set<String> asked = types.stream()
                .map(type -> ClassHierarchy.internal(type.className()))
                .collect(Collectors.toSet());
        return problems.entrySet().stream()
                .filter(problem -> {
                    Set<String> concerned = related.get(ClassHierarchy.internal(problem.getKey()));
                    return concerned == null || !Collections.disjoint(concerned, asked);
                })
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Forgets closing methods that return when nothing reports that. */
    @Override
    public void allScopesClosed() {
        depths.clear();
    }

    /** Returns what keeps objects of a named class from being seen. */
    private static Optional<String> problemOf(Class<?> named, Set<String> closingMethods) {
        if (WatchedType.isForLambdas(named)) {
            return Optional.of(
                    "It is an interface with one method, and objects of lambda expressions cannot be seen. Name the classes that implement it.");
        }
        boolean needsCode = !Modifier.isAbstract(named.getModifiers());
        if (!hasMethod(named, method -> ObjectPlan.isClosing(method, closingMethods, needsCode))) {
            return Optional.of("It has no method " + new TreeSet<>(closingMethods)
                    + (needsCode ? " with code and without" : " without")
                    + " parameters. Name the method that closes it.");
        }
        return Optional.empty();
    }

    private static boolean hasMethod(Class<?> named, Predicate<Method> condition) {
        return Stream.<Class<?>>iterate(named, Objects::nonNull, Class::getSuperclass)
                        .anyMatch(type -> ObjectPlan.declares(type, condition))
                || Stream.of(named.getMethods()).anyMatch(condition);
    }
}
