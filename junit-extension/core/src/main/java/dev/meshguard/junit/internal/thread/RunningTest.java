package dev.meshguard.junit.internal.thread;

import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A test, class or container that runs or is over, and the rules that decide to which of them an allocation belongs.
 *
 * <p>An allocation belongs to a test only if that is certain: "Whose memory" in {@code docs/lifecycle.md} has the rules, and says what
 * becomes of memory that belongs to nobody or to a test without annotation. A constructor of an instance for all tests, and each
 * {@code @BeforeAll} and {@code @AfterAll} method, counts as a test while it runs, and what it allocates belongs to its class.
 *
 * <p>This package has the only state of the process and of threads. A thread that outlives its test, for example in a pool, holds
 * an object of this class without its trackers and threads.
 *
 * <p>Safe for use by several threads.
 */
public final class RunningTest {

    /** The tests, classes and containers that run. */
    private static final CopyOnWriteArrayList<RunningTest> RUNNING = new CopyOnWriteArrayList<>();

    /** The tests and classes that have bound threads until their end. */
    private static final CopyOnWriteArrayList<RunningTest> BINDING_THREADS = new CopyOnWriteArrayList<>();

    /** The code that is called when an allocation may belong to a test or a run from now on. */
    private static final List<Runnable> CALLED_WHEN_RECEIVED = new CopyOnWriteArrayList<>();

    private static final AtomicInteger BEGUN = new AtomicInteger();

    static final RunningTest SEVERAL = new RunningTest(Kind.TEST, "several tests", "", null, true);

    /** Perhaps a test without annotation, and perhaps another method of its name. */
    static final RunningTest OVERLOADED = new RunningTest(Kind.TEST, "perhaps a test", "", null, false);

    private static final RunningTest UNANNOUNCED = new RunningTest(Kind.TEST, "a test", "", null, false);

    /** A class whose tests are tracked, before the extension has entered it. */
    private static final RunningTest TRACKED_CLASS = new RunningTest(Kind.CONTAINER, "a class", "", null, true);

    private enum Kind {
        TEST,
        /** Methods of a class that run for all its tests, and the session of a class. */
        CLASS,
        /** A container that JUnit's engine runs on one thread. While it waits for its tests, a task of one may run there. */
        CONTAINER
    }

    private final String name;
    private final String id;
    private final @Nullable RunningTest around;
    /** The trackers that receive what its threads report, by source. */
    private final Map<String, AllocationTracker> trackers = new ConcurrentHashMap<>();

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final ThreadNotes threadsOfNobody = new ThreadNotes();
    private final AtomicInteger nestedRuns = new AtomicInteger();
    /** The methods that it and the tests within it run. */
    private final Set<TestMethod> methods = ConcurrentHashMap.newKeySet();
    /** The tests and classes, neither around it nor within it, that have run at the same time, and may have used its threads. */
    private final Set<RunningTest> beside = ConcurrentHashMap.newKeySet();

    private volatile Kind kind;
    private volatile boolean isTracked;
    private volatile boolean isOver;
    private volatile @Nullable AllocationContext context;
    private volatile @Nullable Consumer<BooleanSupplier> openedMeshes;

    /** The work of the thread on which a listener has announced it. */
    private volatile @Nullable Scope announcement;

    private RunningTest(Kind kind, String name, String id, @Nullable RunningTest around, boolean isTracked) {
        this.kind = kind;
        this.name = name;
        this.id = id;
        this.around = around;
        this.isTracked = isTracked;
    }

    /** Returns a tracked test with a session of its own, before it begins. */
    public static RunningTest test(String name, String id) {
        return new RunningTest(Kind.TEST, name, id, null, true);
    }

    /** Returns a class with a session for its tests, or with methods for all of them. */
    public static RunningTest ofClass(String name, String id) {
        return new RunningTest(Kind.CLASS, name, id, null, true);
    }

    /** Returns a test within the session of this class or factory, before it begins. */
    public RunningTest testInside(String newName, String newId) {
        return new RunningTest(Kind.TEST, newName, newId, this, true);
    }

    /** Returns code for all tests of this class, before it begins. */
    public RunningTest codeForAll() {
        return new RunningTest(Kind.CLASS, name, id, this, true);
    }

    /** Begins it, unless it has begun. */
    public void begin(Optional<Method> method) {
        enter(id);
        if (addRunning(this)) {
            BEGUN.incrementAndGet();
            running(test -> test != this).forEach(this::runsBeside);
            method.ifPresent(this::run);
        }
    }

    private static boolean addRunning(RunningTest test) {
        boolean isAdded = RUNNING.addIfAbsent(test);
        received();
        return isAdded;
    }

    private void run(Method method) {
        List<TestMethod> run = TestStack.addInvocation(method, this);
        for (RunningTest one = this; one != null; one = one.around) {
            one.methods.addAll(run);
        }
    }

    /** Returns whether it or a test within it runs a method, or it is a dynamic test of that. */
    boolean runs(TestMethod method) {
        return methods.contains(method) || (around != null && around.kind == Kind.TEST && around.runs(method));
    }

    private void runsBeside(RunningTest other) {
        for (RunningTest one = this; one != null && !one.isAround(other); one = one.around) {
            for (RunningTest next = other; next != null && !next.isAround(this); next = next.around) {
                one.beside.add(next);
                next.beside.add(one);
            }
        }
    }

    /** Returns the number of tests that have begun. */
    static int begun() {
        return BEGUN.get();
    }

    /** Returns the test that a method shows if a later test runs it too. One test may be announced before it is tracked. */
    RunningTest mergedWith(RunningTest later) {
        boolean isSame = !isOver && id.equals(later.id);
        return isSame || !(isTracked || later.isTracked) ? later : SEVERAL;
    }

    /** Lets the calling thread run its code until the scope is closed. */
    public Scope bind() {
        return WorkingThread.current().workFor(this);
    }

    /** Binds a thread until the end. */
    public void bind(Thread thread) {
        threads.add(thread);
        BINDING_THREADS.addIfAbsent(this);
        if (isOver) {
            unbindThreads();
        }
    }

    private void unbindThreads() {
        BINDING_THREADS.remove(this);
        threads.clear();
    }

    /** Returns an executor whose tasks run on its threads and are bound. */
    public Executor wrap(Executor executor) {
        return task -> executor.execute(() -> {
            try (Scope bound = bind()) {
                task.run();
            }
        });
    }

    /** Receives what its threads report of a source. */
    public void receive(String source, AllocationTracker tracker) {
        trackers.put(source, tracker);
    }

    /** Attributes its allocations on the tracker that it shares to a context. */
    public void attribute(AllocationContext newContext) {
        context = newContext;
    }

    /** Passes the meshes that it opens on other trackers than its own. */
    public void passOpenedMeshes(Consumer<BooleanSupplier> receiver) {
        openedMeshes = receiver;
    }

    /** Receives a mesh that the calling thread opens, if JUnit runs code of a tracked test on it. */
    static void openedMesh(BooleanSupplier isExamined) {
        for (RunningTest one = bound(); one != null; one = one.around) {
            Consumer<BooleanSupplier> receiver = one.openedMeshes;
            if (receiver != null) {
                receiver.accept(isExamined);
                return;
            }
        }
    }

    /** Ends it: its threads, which may go on, no longer work for it. */
    public void end() {
        RUNNING.remove(this);
        isOver = true;
        unbindThreads();
        trackers.clear();
        beside.clear();
        Scope announced = announcement;
        if (announced != null) {
            announced.close();
        }
    }

    /**
     * Returns whether an allocation of any thread may belong to a test or a run. Tests that no listener announces count from the first tracked
     * class of their run on.
     */
    public static boolean isReceived(String source) {
        return !RUNNING.isEmpty() || UnattributedReports.isReceived(source);
    }

    /** Calls code each time that {@link #isReceived} may have become true. */
    public static void whenReceived(Runnable code) {
        CALLED_WHEN_RECEIVED.add(code);
    }

    static void received() {
        CALLED_WHEN_RECEIVED.forEach(Runnable::run);
    }

    /**
     * Returns the tracker for an allocation of the calling thread, if any test or run examines the source.
     *
     * @param isCounted whether one by a test without annotation is counted
     */
    public static Optional<AllocationTracker> trackerOf(String source, boolean isCounted) {
        RunningTest owner = owner(test -> true);
        if (owner != null && !owner.isTracked) {
            if (isCounted) {
                UnattributedReports.countUntracked(source);
            }
            return Optional.empty();
        }
        for (RunningTest one = owner; one != null; one = one.around) {
            AllocationTracker own = one.trackers.get(source);
            if (own != null) {
                return Optional.of(own);
            }
        }
        if (owner != null && owner.kind == Kind.TEST && !owner.isOver) {
            return Optional.empty(); // It examines other sources.
        }
        boolean isOfClass = owner != null && owner.kind == Kind.CONTAINER;
        return UnattributedReports.tracker(source, isOfClass, RunningTest::note);
    }

    /** Returns the context of an allocation by the calling thread on the tracker of this test or class. */
    public Optional<AllocationContext> context() {
        RunningTest owner = owner(this::isAround);
        for (RunningTest one = owner; one != null; one = one.around) {
            AllocationContext own = one.context;
            if (own != null && isAround(one)) {
                return Optional.of(own);
            }
        }
        if (owner == null || (owner == this && kind == Kind.CLASS)) {
            threadsOfNobody.add(note());
        }
        return Optional.empty();
    }

    /** Returns the threads whose requests on the tracker of this class belong to no test, with the tests that ran, for a reader. */
    public Optional<String> threadsOfNobody() {
        return threadsOfNobody.text();
    }

    /**
     * Applies the rules to the calling thread.
     *
     * @param candidates the tests that can use what it uses
     * @return the test or class; one without annotation is not tracked
     */
    private static @Nullable RunningTest owner(Predicate<RunningTest> candidates) {
        RunningTest bound = bound();
        if (bound != null && bound.kind != Kind.CONTAINER) {
            return bound;
        }
        TestStack stack = TestStack.ofThread();
        RunningTest shown = stack.onlyTest();
        if (shown != null && !shown.isTracked) {
            return shown;
        }
        RunningTest starter = WorkingThread.current().starter();
        List<RunningTest> running = running(candidates);
        if (shown != null && !shown.isOver) {
            RunningTest part =
                    around(starter, running.stream().filter(shown::isAround).toList());
            return part != null && shown.isAround(part) ? part : shown;
        }
        RunningTest container = bound != null && (bound.announcement != null || !stack.isOfTest()) ? bound : null;
        if (container != null && container.isTracked) {
            return container;
        }
        if (container != null || stack.isOfEngine()) {
            RunningTest untracked = container == null ? UNANNOUNCED : container;
            return stack.isOfTrackedClass() ? TRACKED_CLASS : untracked;
        }
        if (starter != null && starter.isRunningUntracked() && !stack.showsTest()) {
            return starter;
        }
        RunningTest origin = shown == null ? starter : shown;
        RunningTest only = running.stream().allMatch(one -> one.isTracked) ? around(origin, running) : null;
        while (only != null && only.beside.stream().anyMatch(candidates)) {
            only = only.around;
        }
        return only == null && !stack.showsTracked() ? untracked(origin, running) : only;
    }

    boolean isOver() {
        return isOver;
    }

    /** Returns whether it is code for all tests of a class. */
    boolean isOfClass() {
        return kind == Kind.CLASS;
    }

    boolean isTracked() {
        return isTracked;
    }

    private static @Nullable RunningTest bound() {
        RunningTest worksFor = WorkingThread.current().test();
        if (worksFor != null) {
            return worksFor;
        }
        Thread thread = Thread.currentThread();
        RunningTest innermost = null;
        for (RunningTest test : BINDING_THREADS) {
            if (test.threads.contains(thread) && (innermost == null || !test.isAround(innermost))) {
                if (innermost != null && !innermost.isAround(test)) {
                    return null;
                }
                innermost = test;
            }
        }
        return innermost;
    }

    /** Returns the innermost tests that run. */
    private static List<RunningTest> running(Predicate<RunningTest> candidates) {
        return innermost(RUNNING, test -> test.kind != Kind.CONTAINER && !test.hasNestedRun() && candidates.test(test));
    }

    private static List<RunningTest> innermost(List<RunningTest> tests, Predicate<RunningTest> chosen) {
        List<RunningTest> all = tests.stream().filter(chosen).toList();
        return all.stream()
                .filter(test -> all.stream().noneMatch(other -> other != test && test.isAround(other)))
                .toList();
    }

    /** Returns the innermost test or class around a starter that is not over and around all that run. */
    private static @Nullable RunningTest around(@Nullable RunningTest starter, List<RunningTest> running) {
        RunningTest one = starter;
        while (one != null && (one.isOver || !running.stream().allMatch(one::isAround))) {
            one = one.around;
        }
        return one;
    }

    private boolean isRunningUntracked() {
        return kind == Kind.TEST && !isTracked && !isOver;
    }

    /** Returns the test or class without annotation to which an allocation of no tracked test belongs, if it belongs to one. */
    private static @Nullable RunningTest untracked(@Nullable RunningTest starter, List<RunningTest> running) {
        if (running.stream().anyMatch(test -> test.isTracked)) {
            return null;
        }
        if (starter != null && (!starter.isTracked || starter.kind == Kind.TEST)) {
            return starter.isTracked ? null : starter;
        }
        if (!running.isEmpty()) {
            return running.get(0);
        }
        List<RunningTest> containers =
                RUNNING.stream().filter(one -> !one.hasNestedRun()).toList();
        boolean isUntracked = !containers.isEmpty() && containers.stream().noneMatch(one -> one.isTracked);
        return isUntracked ? containers.get(0) : null;
    }

    private boolean isAround(RunningTest other) {
        RunningTest one = other;
        while (one != null && one != this) {
            one = one.around;
        }
        return one == this;
    }

    private static ThreadNotes.Note note() {
        WorkingThread thread = WorkingThread.current();
        RunningTest starter = thread.starter();
        return new ThreadNotes.Note(
                Thread.currentThread().getName(),
                starter == null ? "no known test" : starter.name,
                starter == null ? 0 : thread.testsSinceStart(),
                running(test -> true).stream().map(test -> test.name).toList());
    }

    // Runs within tests

    /** Returns the tests in which a run begins, because the thread works for them too: they wait for it and do nothing meanwhile. */
    static List<RunningTest> beginNestedRun(String idInRun) {
        List<RunningTest> outer = new ArrayList<>();
        for (RunningTest test : WorkingThread.current().testsAndStarters()) {
            if (!test.isParentOf(idInRun) && !test.id.equals(idInRun)) {
                outer.add(test);
                RUNNING.stream().filter(other -> other.isParentOf(test.id)).forEach(outer::add);
            }
        }
        outer.forEach(test -> test.nestedRuns.incrementAndGet());
        return outer;
    }

    static void endNestedRun(List<RunningTest> outer) {
        outer.forEach(test -> test.nestedRuns.decrementAndGet());
    }

    /** Returns whether it waits for a run within it. */
    boolean hasNestedRun() {
        return nestedRuns.get() > 0;
    }

    // Tests without annotation

    /**
     * Called by the listener of a launcher, on the thread that runs a test or container from now on.
     *
     * @param type the class whose tests a container runs, if it is one
     * @param method the method of a test, if it has one
     */
    public static void announce(
            String id, boolean isTest, String name, Optional<Class<?>> type, Optional<Method> method) {
        // JUnit creates the instance of a test, for which its session begins, before it announces the test.
        if (RUNNING.stream().anyMatch(one -> one.isTracked && one.id.equals(id))) {
            return;
        }
        boolean isTracked = RUNNING.stream().anyMatch(one -> one.isTracked && one.isParentOf(id))
                || type.filter(TestStack::isTracked).isPresent();
        Kind kind = isTest && !isTracked ? Kind.TEST : Kind.CONTAINER;
        RunningTest announced = new RunningTest(kind, name, id, null, isTracked);
        announced.announcement = announced.bind();
        addRunning(announced);
        if (kind == Kind.TEST) {
            BEGUN.incrementAndGet();
            running(test -> test != announced).forEach(announced::runsBeside);
            method.ifPresent(announced::run);
        }
    }

    /** Called by the listener of a launcher, perhaps on another thread. A run within a test may announce the same test again. */
    public static void finished(String id) {
        RUNNING.stream()
                .filter(one -> one.announcement != null && one.id.equals(id))
                .reduce((earlier, later) -> later)
                .ifPresent(RunningTest::end);
    }

    /** Returns whether a listener has announced a test or a class around it. */
    public static boolean isAnnounced(String id) {
        return RUNNING.stream().anyMatch(one -> one.announcement != null && (one.isParentOf(id) || one.id.equals(id)));
    }

    /** Lets the calling thread run a class whose tests are tracked, until the scope is closed. */
    public static Scope enterClass(String name, String id) {
        if (enter(id)) {
            return () -> {};
        }
        RunningTest type = new RunningTest(Kind.CONTAINER, name, id, null, true);
        addRunning(type);
        Scope bound = type.bind();
        return () -> {
            bound.close();
            type.end();
        };
    }

    /** Tracks what a listener has announced. */
    private static boolean enter(String id) {
        boolean isKnown = false;
        for (RunningTest one : RUNNING) {
            if (one.announcement != null && one.id.equals(id)) {
                isKnown = true;
                one.isTracked = true;
                one.kind = Kind.CONTAINER;
            }
        }
        return isKnown;
    }

    private boolean isParentOf(String other) {
        return other.length() > id.length() && other.charAt(id.length()) == '/' && other.startsWith(id);
    }
}
