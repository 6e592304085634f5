package dev.meshguard.closeables;

import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.internal.WeakIdentity;
import dev.meshguard.weave.ObjectWatcher;
import dev.meshguard.weave.WatchedType;
import dev.meshguard.weave.Weaver;
import dev.meshguard.weave.WeaverUnavailableException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The open objects of tracked classes, each reported to the tracker of the test whose thread constructed it.
 *
 * <p>Objects are held weakly, and compared by identity. Woven code knows one receiver for the whole process, so there is one object of this
 * class.
 *
 * <p>Safe for use by several threads.
 */
final class OpenObjects implements ObjectWatcher {

    static final OpenObjects OF_JVM = new OpenObjects();

    /** The threads on which the JDK frees what was collected, and their classes: code under test may use the names, too. */
    private static final Set<String> COLLECTORS = Set.of("Finalizer", "Common-Cleaner", "Cleaner");

    private static final Set<String> COLLECTOR_CLASSES =
            Set.of("java.lang.ref.Finalizer$FinalizerThread", "jdk.internal.misc.InnocuousThread");

    private final Map<WeakIdentity, OpenObject> open = new ConcurrentHashMap<>();
    /** The closes of objects that were not open: a constructor may close an object, or let another thread do it. */
    private final Map<WeakIdentity, Set<Close>> closed = new ConcurrentHashMap<>();

    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();
    /** The types that any test has named: of no others is an object of no test reported. */
    private final List<WatchedType> types = new CopyOnWriteArrayList<>();

    private final Set<String> loaded = ConcurrentHashMap.newKeySet();

    private OpenObjects() {}

    /** An object that is not closed, and which of the methods that are reported close it. */
    record OpenObject(Lease lease, Predicate<String> isClosing) {

        /** Where a test names two methods of which one calls the other, the outer one decides. */
        boolean isClosedBy(Close close) {
            return isClosing.test(close.method()) && close.within().stream().noneMatch(isClosing);
        }
    }

    /** A closing method that returned or threw, and those of the object that the thread was still in. */
    record Close(String method, List<String> within) {}

    /**
     * Tracks the objects of types from now on.
     *
     * @throws WeaverUnavailableException if no agent may be attached
     */
    synchronized void track(Collection<WatchedType> added) {
        // Threads construct objects as soon as their class is woven.
        List<WatchedType> ofFirstTest =
                added.stream().filter(type -> !types.contains(type)).distinct().toList();
        types.addAll(ofFirstTest);
        try {
            Weaver.watch(added, this);
        } catch (WeaverUnavailableException untracked) {
            types.removeAll(ofFirstTest);
            throw untracked;
        }
    }

    /** Returns the classes of which some objects of these types are not seen, each with the reason. */
    Map<String, String> unseen(Collection<WatchedType> ofTest) {
        return Weaver.unseen(ofTest, this);
    }

    /** Returns whether any class loader has loaded a class of this name. */
    boolean isLoaded(String className) {
        return loaded.contains(className) || (Weaver.isLoaded(className) && loaded.add(className));
    }

    /** What is constructed while no tests run belongs to nobody, but what is open may be closed then. */
    @Override
    public boolean isIdle() {
        return open.isEmpty() && !AllocationSource.isReceived(TrackedCloseablesSource.ID);
    }

    @Override
    public void constructed(Object object) {
        forgetCollected();
        if (!AllocationSource.isReceived(TrackedCloseablesSource.ID)) {
            return;
        }
        // A class that is woven again while its constructor runs may report an object twice.
        if (open.containsKey(new WeakIdentity(object)) || JdkCaches.keep(object) || TestTools.construct(object)) {
            return;
        }
        AllocationSource.trackerOfThread(TrackedCloseablesSource.ID)
                .flatMap(tracker -> ObjectKinds.of(tracker, types).constructed(object))
                .ifPresent(opened -> opened(object, opened));
    }

    private void opened(Object object, OpenObject opened) {
        open.put(new WeakIdentity(object, collected), opened);
        Set<Close> closes = closed.isEmpty() ? null : closed.remove(new WeakIdentity(object));
        if (closes != null) {
            closes.forEach(close -> free(object, close));
        }
    }

    /** Takes the archives for closed that the JDK has put into its cache. */
    void freeKept() {
        open.keySet().stream()
                .filter(key -> JdkCaches.keepForUrl(key.get()))
                .flatMap(key -> Stream.ofNullable(open.remove(key)))
                .forEach(kept -> kept.lease().freed());
    }

    private void forgetCollected() {
        for (Reference<?> one = collected.poll(); one != null; one = collected.poll()) {
            open.remove(one);
            closed.remove(one);
        }
    }

    @Override
    public void constructionFailed(Object object) {
        OpenObject none = open.remove(new WeakIdentity(object));
        if (none != null) {
            none.lease().freed();
        }
    }

    @Override
    public void ended(Object object, String method, List<String> within, @Nullable Throwable reason) {
        Close close = new Close(method, within);
        if (reason != null) {
            OpenObject one = open.get(new WeakIdentity(object));
            if (one != null && one.isClosedBy(close)) {
                one.lease().freeFailed(reason);
            }
        } else if (!isFreedByCollector()) {
            closed(object, close);
        }
    }

    private void closed(Object object, Close close) {
        if (free(object, close)) {
            return;
        }
        boolean isSpy = !open.isEmpty()
                && MockitoSpies.original(object)
                        .filter(original -> free(original, close))
                        .isPresent();
        // Otherwise nothing is opened when the constructor returns.
        if (!isSpy && AllocationSource.isReceived(TrackedCloseablesSource.ID)) {
            forgetCollected();
            closed.computeIfAbsent(new WeakIdentity(object, collected), unused -> ConcurrentHashMap.newKeySet())
                    .add(close);
            // Another thread may have returned from the constructor meanwhile.
            free(object, close);
        }
    }

    /** Each test may name other closing methods of a class. */
    private boolean free(Object object, Close close) {
        WeakIdentity key = new WeakIdentity(object);
        OpenObject one = open.get(key);
        if (one == null || !one.isClosedBy(close) || !open.remove(key, one)) {
            return false;
        }
        one.lease().freed();
        return true;
    }

    /** Nobody chooses the moment, so the test would pass or fail by chance. */
    private static boolean isFreedByCollector() {
        Thread thread = Thread.currentThread();
        return COLLECTOR_CLASSES.contains(thread.getClass().getName())
                && COLLECTORS.contains(thread.getName().replaceFirst("-\\d+$", ""));
    }
}
