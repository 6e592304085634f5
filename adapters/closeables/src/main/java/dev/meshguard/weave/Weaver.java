package dev.meshguard.weave;

import dev.meshguard.tracker.internal.StackReserve;
import java.lang.instrument.Instrumentation;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Adds calls to constructors and closing methods of any class, so that the objects of code without a seam are seen.
 *
 * <p>A class is woven once for the whole JVM, and a transformer belongs to the JVM; hence the static methods. The code of the JDK can be woven
 * too. Nothing is woven before the first type is watched.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class Weaver {

    private static final Weaver OF_JVM = new Weaver();

    private static final int MAX_WAIT_SECONDS = 10;

    private final ClassHierarchy hierarchy = new ClassHierarchy();
    private final List<Watch> watches = new CopyOnWriteArrayList<>();
    private final Receivers receivers = new Receivers();
    /** Held while loaded classes are woven. Transformers never wait for it. */
    private final ReentrantLock lock = new ReentrantLock();
    /** How often it was taken. */
    private final AtomicInteger holds = new AtomicInteger();
    /** The one whose end was awaited in vain. */
    private volatile int endlessHold = -1;
    /** The version of the hierarchy by which no loaded class lacks calls. */
    private volatile long wovenVersion;

    /** Null until there is an agent. */
    private volatile @Nullable WovenClasses classes;

    private Weaver() {}

    /** Returns whether this JVM has an agent already, so that {@link #watch} needs to attach none. */
    public static boolean hasAgent() {
        return OF_JVM.classes != null || AgentAccess.present().isPresent();
    }

    /** Returns whether a class loader has a class of a name; false if there was no agent yet. */
    public static boolean isLoaded(String className) {
        WovenClasses classes = OF_JVM.classes;
        return classes != null
                && classes.loaded().stream().anyMatch(type -> type.getName().equals(className));
    }

    /**
     * Reports the objects of types from now on, in all class loaders and modules, whether they are loaded or not. Types that the watcher watches
     * already cost nothing.
     *
     * @throws WeaverUnavailableException if no agent may be attached, or Byte Buddy is too old
     */
    public static void watch(Collection<WatchedType> types, ObjectWatcher watcher) {
        WovenClasses.oldByteBuddy().ifPresent(problem -> {
            throw new WeaverUnavailableException(problem);
        });
        OF_JVM.locked(() -> {
            ObjectWatch watch = OF_JVM.watchOf(
                    watcher,
                    ObjectWatch.class,
                    () -> new ObjectWatch(watcher, OF_JVM, OF_JVM.hierarchy, OF_JVM.receivers));
            WovenClasses classes = OF_JVM.classes(AgentAccess.attached());
            List<WatchedType> added =
                    types.stream().filter(type -> !watch.watches(type)).toList();
            if (added.isEmpty()) {
                OF_JVM.catchUp();
                return;
            }
            added.forEach(watch::add);
            OF_JVM.weave(classes, added.stream().map(WatchedType::className).toList());
        });
    }

    /** Asks a watcher again whether it {@linkplain ObjectWatcher#isIdle() is idle}. */
    public static void wake(ObjectWatcher watcher) {
        for (Watch watch : OF_JVM.watches) {
            if (watch.watcher().equals(watcher)) {
                OF_JVM.receivers.wake(watch);
            }
        }
    }

    /** Returns the classes of which some objects of watched types are not seen, each with a sentence that says why. */
    public static Map<String, String> unseen(Collection<WatchedType> types, ObjectWatcher watcher) {
        OF_JVM.locked(OF_JVM::catchUp);
        WovenClasses classes = OF_JVM.classes;
        return OF_JVM.watches.stream()
                .filter(watch -> watch.watcher().equals(watcher))
                .map(ObjectWatch.class::cast)
                .findFirst()
                .map(watch -> watch.unseen(types, () -> classes == null ? List.of() : classes.loaded()))
                .orElse(Map.of());
    }

    /**
     * Reports calls of methods from now on, if this JVM has an agent, and otherwise as soon as {@link #watch} attaches one. Calls that the
     * watcher watches already cost nothing.
     *
     * @return whether there is an agent, and a Byte Buddy that is new enough
     */
    public static boolean watchCalls(Collection<WatchedMethods> calls, CallWatcher watcher) {
        if (WovenClasses.oldByteBuddy().isPresent()) {
            return false;
        }
        OF_JVM.locked(() -> {
            CallWatch watch = OF_JVM.watchOf(watcher, CallWatch.class, () -> new CallWatch(watcher));
            List<String> added = calls.stream()
                    .filter(one -> watch.add(one, OF_JVM.receivers))
                    .map(WatchedMethods::className)
                    .toList();
            AgentAccess.present().ifPresent(agent -> {
                WovenClasses classes = OF_JVM.classes(agent);
                OF_JVM.weave(classes, added);
            });
        });
        return OF_JVM.classes != null;
    }

    private void locked(Runnable action) {
        StackReserve.forOperation();
        lock.lock();
        thenUnlock(action);
    }

    private void thenUnlock(Runnable action) {
        holds.incrementAndGet();
        try {
            receivers.quietly(action);
        } finally {
            lock.unlock();
        }
    }

    private WovenClasses classes(Instrumentation agent) {
        WovenClasses current = classes;
        if (current == null) {
            current = new WovenClasses(agent, watches, hierarchy, receivers);
            classes = current;
            agent.addTransformer(current, true);
            // What was watched before there was an agent.
            hierarchy.learned();
        }
        return current;
    }

    private <W extends Watch> W watchOf(Object watcher, Class<W> type, Supplier<W> created) {
        return watches.stream()
                .filter(watch -> watch.watcher().equals(watcher))
                .map(type::cast)
                .findFirst()
                .orElseGet(() -> {
                    W watch = created.get();
                    WovenClasses.warmUp(watch);
                    watches.add(watch);
                    return watch;
                });
    }

    private void weave(WovenClasses current, Collection<String> added) {
        if (!added.isEmpty()) {
            current.lookUp(added);
            weaveLoaded(current);
            // A class that was being defined meanwhile is not among the loaded ones yet.
            hierarchy.learned();
        }
    }

    private void weaveLoaded(WovenClasses current) {
        wovenVersion = current.weaveLoaded();
    }

    /** Weaves loaded classes of which it was not known yet that watched objects inherit from them. */
    private void catchUp() {
        WovenClasses current = classes;
        if (current != null && isStale()) {
            weaveLoaded(current);
        }
    }

    private boolean isStale() {
        return wovenVersion != hierarchy.version();
    }

    /** Does so in a receiver, if no other thread does. */
    void catchUpUnlessBusy() {
        if (isStale() && lock.tryLock()) {
            thenUnlock(this::catchUp);
        }
    }

    /**
     * Weaves loaded classes in a receiver. It waits for another thread that weaves, but not for ever: that thread may need one of its locks.
     *
     * @param isNeeded asked after the wait
     * @return false if it was in vain
     */
    boolean weaveBeforeLong(BooleanSupplier isNeeded) {
        WovenClasses current = Objects.requireNonNull(classes);
        boolean isInterrupted = Thread.interrupted();
        int hold = holds.get();
        try {
            if (lock.tryLock(hold == endlessHold ? 0 : MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
                thenUnlock(() -> {
                    if (isNeeded.getAsBoolean()) {
                        weaveLoaded(current);
                    }
                });
                return true;
            } else if (hold == holds.get()) {
                endlessHold = hold;
            }
        } catch (InterruptedException givenUp) {
            isInterrupted = true;
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return false;
    }
}
