package dev.meshguard.weave;

import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Adds calls to constructors and closing methods of any class, so that the objects of code without a seam are seen.
 *
 * <p>A class is woven once for the whole JVM, and a transformer belongs to the JVM; hence the static methods. The code of the JDK can be woven
 * too. Nothing is woven before the first type is watched. Woven code reads one field while no {@link Scope} is open.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class Weaver {

    private static final Weaver OF_JVM = new Weaver();

    private final WovenTypes types = new WovenTypes();
    private final BusyThreads busy = new BusyThreads();
    /** Held while classes are retransformed and while scopes are counted. Transformers and receivers never wait for it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final List<ObjectReports> reports = new ArrayList<>();
    private final List<BiConsumer<Object, @Nullable Object>> receivers = new ArrayList<>();
    private int scopes;
    private @Nullable Agent agent;

    private Weaver() {}

    /** What an agent makes possible. */
    private record Agent(Instrumentation instrumentation, Dispatcher dispatcher) {

        List<Class<?>> loaded() {
            return Stream.<Class<?>>of(instrumentation.getAllLoadedClasses())
                    .filter(type -> !type.isArray() && !type.isPrimitive())
                    .toList();
        }
    }

    /** A time in which woven code reports. */
    @API(status = Status.INTERNAL, since = "0.1")
    public interface Scope extends AutoCloseable {

        @Override
        void close();
    }

    /** Returns whether this JVM has an agent already, so that {@link #watch} needs to attach none. */
    public static boolean hasAgent() {
        return OF_JVM.agent != null || AgentAccess.present().isPresent();
    }

    /**
     * Reports the objects of types from now on, in all class loaders and modules, whether they are loaded or not. Types that the watcher watches
     * already cost nothing.
     *
     * @throws IllegalArgumentException if objects of a loaded type cannot be seen, or it has no closing method; types that are loaded
     *     later are reported by {@link ObjectWatcher#notWatched}
     * @throws WeaverUnavailableException if no agent may be attached
     */
    public static void watch(Collection<WatchedType> types, ObjectWatcher watcher) {
        OF_JVM.locked(() -> OF_JVM.add(types, watcher));
    }

    /** Lets woven code report until the scope is closed, and all others that are open. */
    public static Scope open() {
        OF_JVM.locked(() -> {
            OF_JVM.scopes++;
            OF_JVM.catchUp();
            OF_JVM.publish();
        });
        AtomicBoolean isClosed = new AtomicBoolean();
        return () -> {
            if (isClosed.compareAndSet(false, true)) {
                OF_JVM.locked(() -> {
                    OF_JVM.scopes--;
                    OF_JVM.publish();
                });
            }
        };
    }

    private void locked(Runnable action) {
        lock.lock();
        boolean isBegin = busy.enter();
        try {
            action.run();
        } finally {
            if (isBegin) {
                busy.leave();
            }
            lock.unlock();
        }
    }

    private void publish() {
        if (agent != null) {
            agent.dispatcher().publish(scopes == 0 ? null : List.copyOf(receivers));
        }
        if (scopes == 0) {
            reports.forEach(ObjectReports::forget);
        }
    }

    private void add(Collection<WatchedType> added, ObjectWatcher watcher) {
        Agent current = agent();
        List<Class<?>> loaded = current.loaded();
        for (WatchedType type : added) {
            loaded.stream()
                    .filter(one -> one.getName().equals(type.className()))
                    .flatMap(one -> ObjectWatch.problemOf(one, type.closingMethods()).stream())
                    .findFirst()
                    .ifPresent(problem -> {
                        throw new IllegalArgumentException("Cannot watch " + type.className() + ": " + problem);
                    });
        }
        Map<String, List<ClassPlan>> before = Map.copyOf(types.woven());
        ObjectWatch watch = types.of(watcher).orElseGet(() -> newWatch(watcher));
        boolean areNew = false;
        for (WatchedType type : added) {
            areNew |= watch.add(type);
        }
        if (areNew) {
            loaded.stream()
                    .map(Class::getClassLoader)
                    .distinct()
                    .forEach(loader -> added.forEach(type -> watch.find(type, loader)));
            weaveLoaded(current, before);
            publish();
            // A class that was being defined meanwhile is in no list yet.
            types.isStale().set(true);
        }
    }

    private Agent agent() {
        if (agent == null) {
            Instrumentation instrumentation = AgentAccess.attached();
            agent = new Agent(instrumentation, Dispatcher.define(instrumentation));
            instrumentation.addTransformer(new WeavingTransformer(types, agent.dispatcher(), busy), true);
        }
        return agent;
    }

    private ObjectWatch newWatch(ObjectWatcher watcher) {
        ObjectReports ofWatcher = new ObjectReports(watcher);
        ObjectWatch watch = new ObjectWatch(watcher, types.hierarchy(), receivers.size(), types.isStale());
        ofWatcher.receivers().forEach(receiver -> receivers.add(guarded(receiver, watcher)));
        reports.add(ofWatcher);
        types.watches().add(watch);
        return watch;
    }

    /** What the watcher does itself is not reported. */
    private BiConsumer<Object, @Nullable Object> guarded(
            BiConsumer<Object, @Nullable Object> receiver, ObjectWatcher watcher) {
        return (object, argument) -> {
            if (busy.enter()) {
                try {
                    if (types.isStale().get() && lock.tryLock()) {
                        try {
                            catchUp();
                        } finally {
                            lock.unlock();
                        }
                    }
                    receiver.accept(object, argument);
                } catch (RuntimeException | Error failure) {
                    watcher.notWatched(object.getClass().getName(), "the report of an object failed: " + failure);
                } finally {
                    busy.leave();
                }
            }
        };
    }

    /** Weaves classes that were loaded before it was known that watched objects inherit from them. */
    private void catchUp() {
        if (agent != null && types.isStale().compareAndSet(true, false)) {
            weaveLoaded(agent, types.woven());
        }
    }

    private void weaveLoaded(Agent current, Map<String, List<ClassPlan>> present) {
        List<Class<?>> unwoven = lookAt(current.loaded(), present);
        while (!unwoven.isEmpty()) {
            retransform(current.instrumentation(), unwoven);
            // A class that was loaded inside a transformer went past this one.
            unwoven = lookAt(current.loaded(), types.woven());
        }
    }

    private List<Class<?>> lookAt(List<Class<?>> loaded, Map<String, List<ClassPlan>> present) {
        loaded.forEach(types.hierarchy()::add);
        types.watches().forEach(watch -> loaded.forEach(watch::examine));
        return types.unwoven(loaded, present);
    }

    private void retransform(Instrumentation instrumentation, List<Class<?>> unwoven) {
        try {
            instrumentation.retransformClasses(unwoven.toArray(Class<?>[]::new));
        } catch (UnmodifiableClassException | RuntimeException | Error failure) {
            if (unwoven.size() == 1) {
                types.notWatched(ClassHierarchy.nameOf(unwoven.get(0)), "its code cannot be changed: " + failure);
            } else {
                unwoven.forEach(type -> retransform(instrumentation, List.of(type)));
            }
        }
    }
}
