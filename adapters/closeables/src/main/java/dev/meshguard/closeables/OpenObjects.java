package dev.meshguard.closeables;

import dev.meshguard.closeables.ObjectKinds.Kind;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.TestThreads;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.internal.WeakIdentity;
import dev.meshguard.tracker.internal.WeakIdentityMap;
import dev.meshguard.weave.MockitoObjects;
import dev.meshguard.weave.ObjectWatcher;
import dev.meshguard.weave.WatchedType;
import dev.meshguard.weave.Weaver;
import dev.meshguard.weave.WeaverUnavailableException;
import java.lang.StackWalker.StackFrame;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
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

    private final WeakIdentityMap<OpenObject> open = new WeakIdentityMap<>();

    /** The types that any test has named: of no others is an object of no test reported. */
    private final List<WatchedType> types = new CopyOnWriteArrayList<>();

    /** Whether threads run a cleaner or finalizers: to find that out takes longer than all else about a close. */
    private final WeakIdentityMap<Boolean> collectors = new WeakIdentityMap<>();

    private final Set<String> loaded = ConcurrentHashMap.newKeySet();
    private final AtomicLong losses = new AtomicLong();
    /** The class and the message of a failure, which itself would keep class loaders of tests. */
    private volatile @Nullable String lastFailure;

    private volatile @Nullable String lastMessage;
    private volatile @Nullable String lastLost;

    private OpenObjects() {
        TestThreads.whenReceived(() -> Weaver.wake(this));
    }

    /**
     * An object that is not closed. It is its own key, and the handle of its lease: one weak reference for each. The tracker keeps that, and a
     * queue of the collector would keep the tracker.
     */
    private static final class OpenObject extends WeakIdentity {

        private final Kind kind;
        private final Lease lease;

        OpenObject(Object object, Kind kind, Lease lease) {
            super(object);
            this.kind = kind;
            this.lease = lease.handedOutAs(this);
        }

        /** Each test may name other closing methods of a class. Where one of them calls another, the outer one decides. */
        boolean isClosedBy(String method, List<String> within) {
            return kind.isClosing(method)
                    && (within.isEmpty() || within.stream().noneMatch(kind::isClosing));
        }
    }

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
        if (!loaded.contains(className) && Weaver.isLoaded(className)) {
            loaded.add(className);
        }
        return loaded.contains(className);
    }

    /** While no tests run, what is constructed belongs to nobody, and nothing is checked any more. */
    @Override
    public boolean isIdle() {
        return !TestThreads.isReceived(TrackedCloseablesSource.ID);
    }

    @Override
    public boolean isReportedAtStart() {
        return true;
    }

    @Override
    public void constructed(Object object, Map<String, String> unheard) {
        // Whether a class loader constructs it comes first: the code below may be in the class that it loads.
        if (JdkObjects.isOfNobody(object)) {
            return;
        }
        AllocationTracker tracker =
                TestThreads.trackerOfThread(TrackedCloseablesSource.ID).orElse(null);
        if (tracker == null) {
            return;
        }
        Kind kind = ObjectKinds.of(tracker, types).kind(object.getClass());
        if (kind == null) {
            return;
        }
        for (Map.Entry<String, String> method : unheard.entrySet()) {
            if (kind.isClosing(method.getKey())) {
                tracker.reportsLost(
                        1,
                        method.getKey() + "() of a " + object.getClass().getName() + " is not heard. "
                                + method.getValue());
                return;
            }
        }
        Lease lease = tracker.lease(kind.details(), kind.callers(), BufferType.SYSTEM_MEMORY, 0);
        OpenObject one = new OpenObject(object, kind, lease);
        if (!open.putIfAbsent(one, one)) {
            // A class that is woven again while its constructor runs reports an object twice.
            lease.withdrawn();
        }
    }

    @Override
    public boolean lost(Object object, Throwable failure) {
        losses.incrementAndGet();
        lastFailure = failure.getClass().getName();
        lastMessage = failure.getMessage();
        lastLost = object.getClass().getName();
        return true;
    }

    /** Returns how many reports have failed. */
    long losses() {
        return losses.get();
    }

    /** Returns why the last one did. */
    String lastLoss() {
        String message = lastMessage;
        return "the report of an object of " + lastLost + " failed: " + lastFailure
                + (message == null ? "" : ": " + message);
    }

    /** Forgets the objects that nobody can close any more, and takes the archives back that the JDK has put into its cache. */
    void poll() {
        open.forgetAllCollected();
        open.objects().filter(JdkObjects::keepForUrl).forEach(this::constructionFailed);
    }

    @Override
    public void constructionFailed(Object object) {
        OpenObject none = open.remove(object);
        if (none != null) {
            none.lease.withdrawn();
        } else if (!JdkObjects.isOfNobody(object)) {
            // Its constructor may have closed it. To keep each closed object for that would cost more.
            TestThreads.trackerOfEarlier(TrackedCloseablesSource.ID)
                    .ifPresent(tracker -> tracker.withdrawLeaseOf(object));
        }
    }

    @Override
    public void ended(Object object, String method, List<String> within, @Nullable Throwable reason) {
        Object subject = object;
        OpenObject one = open.get(subject);
        if (one == null && !open.isEmpty()) {
            subject = MockitoObjects.original(object).orElse(object);
            one = open.get(subject);
        }
        if (one == null || !one.isClosedBy(method, within)) {
            return;
        }
        if (reason != null) {
            one.lease.freeFailed(reason);
        } else if (!isFreedByCollector() && open.remove(subject, one)) {
            one.lease.freed();
        }
    }

    /** Nobody chooses the moment, so the test would pass or fail by chance. A cleaner makes a daemon of any thread that it gets. */
    private boolean isFreedByCollector() {
        Thread thread = Thread.currentThread();
        return thread.isDaemon() && collectors.computeIfAbsent(thread, OpenObjects::runsCollector);
    }

    private static boolean runsCollector() {
        return StackWalker.getInstance()
                .walk(frames -> frames.map(StackFrame::getClassName)
                        .anyMatch(name -> name.equals("jdk.internal.ref.CleanerImpl")
                                || name.startsWith("java.lang.ref.Finalizer")));
    }
}
