package dev.meshguard.weave;

import dev.meshguard.weave.Receivers.Action;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The types whose objects one watcher watches: plans the calls of their classes, and passes on constructions and closes. */
final class ObjectWatch implements Watch {

    private static final String BUSY = "Another thread adds code to classes, and this one cannot wait for its end";
    private static final String NOT_WOVEN = "Code was added to classes, but not to this one";

    private final ObjectWatcher watcher;
    private final Weaver weaver;
    private final ClassHierarchy hierarchy;
    private final Receivers receivers;
    /** The first receiver of constructors that may be none of watched types. */
    private final int unknownConstructors;
    /** The first receiver of constructors and of each closing method, by its name. */
    private final Map<String, Integer> firstReceivers = new ConcurrentHashMap<>();
    /** The closing methods by the internal name of the watched type. */
    private final Map<String, Set<String>> watched = new ConcurrentHashMap<>();
    /** The watched types whose objects inherit from a class, by its internal name. */
    private final Map<String, Set<String>> related = new ConcurrentHashMap<>();
    /** Why classes lack their calls. */
    private final ByLoader<String> problems = new ByLoader<>();
    /** Why objects were lost, by the binary names of their classes. */
    private final Map<String, String> losses = new ConcurrentHashMap<>();

    private volatile boolean hasProblems;
    /** The types of which a loaded class has a closing method. */
    private final Set<WatchedType> closeable = ConcurrentHashMap.newKeySet();

    /** How many calls of closing methods have not ended in all threads. */
    private final AtomicInteger closing = new AtomicInteger();

    private final ClassValue<AtomicReference<@Nullable Unheard>> unheard = new ClassValue<>() {
        @Override
        protected AtomicReference<@Nullable Unheard> computeValue(Class<?> type) {
            return new AtomicReference<>();
        }
    };

    /**
     * The closing methods of a class whose calls are not heard, each with the reason.
     *
     * @param version that of the hierarchy by which they are
     * @param isWatched false for a class with supertypes that were unknown when it was loaded, and are not watched
     */
    private record Unheard(long version, boolean isWatched, Map<String, String> methods) {}

    ObjectWatch(ObjectWatcher watcher, Weaver weaver, ClassHierarchy hierarchy, Receivers receivers) {
        this.watcher = watcher;
        this.weaver = weaver;
        this.hierarchy = hierarchy;
        this.receivers = receivers;
        // The begin of a constructor is not reported.
        Action constructed = new Constructed();
        firstReceivers.put(ObjectPlan.CONSTRUCTOR, addConstructors(constructed));
        unknownConstructors = addConstructors((thread, object, type) -> {
            if (WatchedType.superclasses(object.getClass())
                    .anyMatch(
                            part -> part.getName().equals(type) && unheard(part).isWatched())) {
                constructed.accept(thread, object, type);
            }
        });
    }

    private int addConstructors(Action constructed) {
        int first = receivers.addFirst(this, constructed) - ObjectPlan.Call.RETURNS.ordinal();
        receivers.add(this, (thread, object, unused) -> watcher.constructionFailed(object));
        return first;
    }

    private int addClosing(String method) {
        int first = receivers.addFirst(this, (thread, object, type) -> begun(thread, object, method, type));
        receivers.add(this, (thread, object, unused) -> ended(thread, object, method, null));
        receivers.add(this, (thread, object, reason) -> ended(thread, object, method, (Throwable) reason));
        return first;
    }

    private void begun(ClosingCalls thread, Object object, String method, @Nullable Object type) {
        closing.incrementAndGet();
        boolean isEntered = false;
        try {
            // Only then is it known that no other thread lets the watch sleep.
            boolean decides = !watcher.isIdle() && decides(object.getClass(), method, type);
            isEntered = thread.begin(this, object, method, decides);
        } finally {
            if (!isEntered) {
                closing.decrementAndGet();
            }
        }
    }

    private void ended(ClosingCalls thread, Object object, String method, @Nullable Throwable reason) {
        String ended = thread.end(this, object);
        if (ended != null) {
            closing.decrementAndGet();
            if (ended.equals(method)) {
                watcher.ended(object, method, thread.deciding(this, object), reason);
            }
        }
    }

    /** A class, because the methods of a lambda expression are two frames in the stack of each object. */
    private final class Constructed implements Action {

        @Override
        public void accept(ClosingCalls thread, Object object, @Nullable Object type) {
            Unheard found = unheard(object.getClass());
            if (found.isWatched()) {
                watcher.constructed(object, found.methods());
            }
        }
    }

    private Unheard unheard(Class<?> type) {
        AtomicReference<@Nullable Unheard> latest = unheard.get(type);
        Unheard known = latest.get();
        long version = hierarchy.version();
        if (known != null && known.version() == version) {
            return known;
        }
        if (!isWatched(type)) {
            Unheard none = new Unheard(version, false, Map.of());
            latest.set(none);
            return none;
        }
        weaver.catchUpUnlessBusy();
        Map<String, String> methods = findUnheard(type);
        if (methods.containsValue(BUSY)
                && weaver.weaveBeforeLong(() -> findUnheard(type).containsValue(BUSY))) {
            methods = findUnheard(type);
            methods.replaceAll((method, reason) -> reason.equals(BUSY) ? NOT_WOVEN : reason);
        }
        Unheard found = new Unheard(version, true, methods);
        latest.set(methods.containsValue(BUSY) ? null : found);
        return found;
    }

    /** Returns whether a loaded class inherits from a watched type. If so, it counts as related, though it may lack calls. */
    private boolean isWatched(Class<?> type) {
        Stream.concat(WatchedType.superclasses(type), WatchedType.interfaces(type))
                .forEach(hierarchy::add);
        String name = ClassHierarchy.nameOf(type);
        return planOf(name, type.getClassLoader()).isPresent()
                && hierarchy.inherits(name, type.getClassLoader(), watched::containsKey);
    }

    /** Returns why closing methods of objects of a class are not heard, by their names. */
    private Map<String, String> findUnheard(Class<?> type) {
        Map<String, String> reasons = new HashMap<>();
        // A superclass has those of other subclasses too. A class that is hidden or was loaded unseen has none by
        // itself.
        Set<String> methods = WatchedType.superclasses(type)
                .map(part -> closing(ClassHierarchy.nameOf(part)).keySet())
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse(Set.of());
        for (String method : methods) {
            deciding(type, method)
                    .flatMap(part -> problemOf(part, method))
                    .ifPresent(problem -> reasons.put(method, problem));
        }
        return reasons;
    }

    /** Returns the class whose method is called, or an interface that may be and lacks calls. */
    private Optional<Class<?>> deciding(Class<?> type, String method) {
        return WatchedType.superclasses(type)
                .filter(part -> has(part, method))
                .findFirst()
                .or(() -> WatchedType.interfaces(type)
                        .filter(part -> !isWoven(part, method) && has(part, method))
                        .findFirst());
    }

    private boolean has(Class<?> part, String method) {
        return isWoven(part, method)
                ? hierarchy.hasMethod(part, method)
                : ObjectPlan.declares(part, declared -> ObjectPlan.isClosing(declared, Set.of(method), true));
    }

    private boolean isWoven(Class<?> part, String method) {
        return planOf(part, method).isPresent();
    }

    /** Returns the plan by which a class has the calls of a method. */
    private Optional<ObjectPlan> planOf(Class<?> part, String method) {
        return part.isHidden() || problemOf(part).isPresent()
                ? Optional.empty()
                : hierarchy.plansOf(part).stream()
                        .flatMap(plan -> plan instanceof ObjectPlan ofObjects ? Stream.of(ofObjects) : Stream.empty())
                        .filter(plan -> Objects.equals(plan.receivers().get(method), firstReceivers.get(method)))
                        .findFirst();
    }

    /** Returns why a class lacks calls for ever, if it does. */
    private Optional<String> problemOf(Class<?> type) {
        return Optional.ofNullable(problems.of(type.getClassLoader()).get(ClassHierarchy.nameOf(type)));
    }

    private Optional<String> problemOf(Class<?> deciding, String method) {
        if (deciding.isHidden()) {
            return Optional.of("It is hidden, so that no code can be added to it");
        }
        if (!isWoven(deciding, method)) {
            return Optional.of(problemOf(deciding).orElse(BUSY));
        }
        return hierarchy.isNative(deciding, method)
                ? Optional.of("Its closing method is native, so that no code can be added to it")
                : Optional.empty();
    }

    @Override
    public void lost(ClosingCalls thread, Object object, Throwable failure) {
        // The end of a method may not have been heard.
        while (thread.end(this, object) != null) {
            closing.decrementAndGet();
        }
        if (!watcher.lost(object, failure)) {
            losses.put(object.getClass().getName(), "The report of an object failed: " + failure);
        }
    }

    /** Returns whether no class of the object overrides a method of a class. What a class without calls overrides is not known. */
    private boolean decides(Class<?> type, String method, @Nullable Object declaring) {
        Class<?> part = type;
        List<Class<?>> same = new ArrayList<>(0);
        for (; part != null && !part.getName().equals(declaring); part = part.getSuperclass()) {
            if (hierarchy.hasMethod(part, method)) {
                same.add(part);
            }
        }
        return same.isEmpty()
                || (part != null
                        && hierarchy.isOfPackage(part, method)
                        && same.stream().noneMatch(isInPackageOf(part)));
    }

    private static Predicate<Class<?>> isInPackageOf(Class<?> type) {
        return other -> other.getClassLoader() == type.getClassLoader()
                && other.getPackageName().equals(type.getPackageName());
    }

    /** A closing method whose begin was passed on must also end. */
    @Override
    public boolean isIdle() {
        return watcher.isIdle() && closing.get() == 0;
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
        type.closingMethods().forEach(method -> firstReceivers.computeIfAbsent(method, this::addClosing));
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
            // Whether it inherits from a watched type is found out when its first object is constructed.
            if (hierarchy.hasUnknown(name, loader)) {
                return Optional.of(
                        new ObjectPlan(true, watcher.isReportedAtStart(), closing(name, unknownConstructors)));
            }
            return related.containsKey(name)
                    ? Optional.of(new ObjectPlan(false, false, closing(name)))
                    : Optional.empty();
        }
        Set<String> supertypes = hierarchy.withSupertypes(name, loader);
        Set<String> types = supertypes.stream().filter(watched::containsKey).collect(Collectors.toSet());
        for (String supertype : supertypes) {
            if (add(related, supertype, types)) {
                hierarchy.learned();
            }
        }
        boolean isSubclass = hierarchy.inherits(hierarchy.superclass(name, loader), loader, watched::containsKey);
        return Optional.of(new ObjectPlan(
                !isSubclass,
                watcher.isReportedAtStart(),
                closing(name, Objects.requireNonNull(firstReceivers.get(ObjectPlan.CONSTRUCTOR)))));
    }

    private Map<String, Integer> closing(String name, int constructors) {
        Map<String, Integer> methods = new HashMap<>(closing(name));
        methods.put(ObjectPlan.CONSTRUCTOR, constructors);
        return methods;
    }

    private Map<String, Integer> closing(String name) {
        return related.getOrDefault(name, Set.of()).stream()
                .flatMap(type -> watched.getOrDefault(type, Set.of()).stream())
                .distinct()
                .collect(Collectors.toMap(Function.identity(), firstReceivers::get));
    }

    @Override
    public void notWoven(String name, @Nullable ClassLoader loader, String reason) {
        problems.of(loader).put(name, reason);
        hasProblems = true;
        hierarchy.learned();
    }

    /** Returns the classes of which some objects of these types are not seen, each with the reason. */
    Map<String, String> unseen(Collection<WatchedType> types, Supplier<List<Class<?>>> loaded) {
        Map<String, String> unseen = new HashMap<>(losses);
        unseen.keySet().removeIf(className -> !areConcerned(types, ClassHierarchy.internal(className)));
        List<WatchedType> unknown =
                types.stream().filter(type -> !closeable.contains(type)).toList();
        for (Class<?> type : hasProblems || !unknown.isEmpty() ? loaded.get() : List.<Class<?>>of()) {
            problemOf(type)
                    .filter(problem -> areConcerned(types, ClassHierarchy.nameOf(type)) && !isReportedByAnother(type))
                    .ifPresent(problem -> unseen.put(type.getName(), problem));
            unknown.stream()
                    .filter(named -> named.className().equals(type.getName()))
                    .forEach(named -> problemOf(type, named.closingMethods())
                            .ifPresentOrElse(
                                    problem -> unseen.put(type.getName(), problem), () -> closeable.add(named)));
        }
        return unseen;
    }

    private boolean areConcerned(Collection<WatchedType> types, String name) {
        Set<String> concerned = related.get(name);
        return concerned == null
                || types.stream().anyMatch(type -> concerned.contains(ClassHierarchy.internal(type.className())));
    }

    /** Returns whether a superclass reports each object of a class. Only the tests that construct one are concerned then. */
    private boolean isReportedByAnother(Class<?> type) {
        return WatchedType.superclasses(type)
                .skip(1)
                .anyMatch(part -> planOf(part, ObjectPlan.CONSTRUCTOR)
                        .filter(ObjectPlan::isUppermost)
                        .isPresent());
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
        return WatchedType.superclasses(named).anyMatch(type -> ObjectPlan.declares(type, condition))
                || Stream.of(named.getMethods()).anyMatch(condition);
    }
}
