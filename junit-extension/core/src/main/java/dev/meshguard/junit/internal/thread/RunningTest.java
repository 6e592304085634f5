package dev.meshguard.junit.internal.thread;

import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
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
 * A test or class that runs, to which the allocations of threads may belong.
 *
 * <p>An allocation belongs to a test only if that is certain. The first of these rules that applies decides:
 *
 * <ol>
 * <li>JUnit runs code of a test on the thread, or exactly one running test has bound the thread with {@code TestThreads}: that test.
 * <li>The stack shows the method of exactly one test, a lambda in it, or a class declared in it. The test runs, and no other
 *     invocation and no overload of its method has run: that test.
 * <li>The stack shows a test that is over, or such a test has started the thread: nobody.
 * <li>Exactly one tracked test runs, and no other test. It has started the thread, or no test has and a thread of the running
 *     test has used the library before: that test.
 * <li>In all other cases: nobody.
 * </ol>
 *
 * <p>{@code docs/lifecycle.md} has the same list, and says what becomes of memory that belongs to nobody or to a test without
 * annotation. A constructor of an instance for all tests, and each {@code @BeforeAll} and {@code @AfterAll} method, counts as a
 * test while it runs, and what it allocates belongs to its class.
 *
 * <p>This is the only class with state of the process and of threads. A thread that outlives its test, for example in a
 * pool, holds an object of this class without its tracker and threads.
 *
 * <p>Safe for use by several threads.
 */
public final class RunningTest {

    private static final InheritableThreadLocal<@Nullable Binding> BINDING = new InheritableThreadLocal<>() {
        @Override
        protected @Nullable Binding childValue(@Nullable Binding ofParent) {
            Binding open = openAmong(ofParent);
            return open == null ? null : new Binding(open.test, null, BEGUN.get());
        }
    };

    /** The tests, classes and containers that run. */
    private static final CopyOnWriteArrayList<RunningTest> RUNNING = new CopyOnWriteArrayList<>();

    /** The tests and classes that have bound threads until their end. */
    private static final CopyOnWriteArrayList<RunningTest> BINDING_THREADS = new CopyOnWriteArrayList<>();

    /** The test that runs or has run a method, or {@link #SEVERAL}, by the outermost class of the method. */
    private static final Map<String, Map<TestMethod, RunningTest>> INVOCATIONS = new ConcurrentHashMap<>();

    private static final AtomicInteger BEGUN = new AtomicInteger();

    private static final RunningTest SEVERAL = new RunningTest(Kind.TEST, "several tests", "", null, true);

    private static final RunningTest UNANNOUNCED = new RunningTest(Kind.TEST, "a test", "", null, false);

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
    private final Set<String> sources = ConcurrentHashMap.newKeySet();
    private final Set<Object> usedLibraries = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final ThreadNotes threadsOfNobody = new ThreadNotes();
    private final AtomicInteger nestedRuns = new AtomicInteger();
    private volatile Kind kind;
    private volatile boolean isTracked;
    private volatile boolean isAnnounced;
    private volatile boolean isOver;
    private volatile boolean hasContexts;
    private volatile @Nullable AllocationTracker tracker;
    private volatile @Nullable AllocationContext context;
    private volatile @Nullable Consumer<BooleanSupplier> openedMeshes;

    /** The test for which a thread works, or that has started the thread. */
    private static final class Binding {

        private static final int NOT_INHERITED = -1;

        private final RunningTest test;
        private final @Nullable Binding outer;
        /** The number of tests that had begun when the thread was started. */
        private final int begunBefore;

        /** Set by the thread that closes the scope, which need not be the one that opened it. */
        private volatile boolean isClosed;

        Binding(RunningTest test, @Nullable Binding outer, int begunBefore) {
            this.test = test;
            this.outer = outer;
            this.begunBefore = begunBefore;
        }

        boolean isInherited() {
            return begunBefore != NOT_INHERITED;
        }
    }

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
    public void begin(Optional<TestMethod> method) {
        enter(id);
        if (RUNNING.addIfAbsent(this)) {
            BEGUN.incrementAndGet();
            method.ifPresent(this::addInvocation);
        }
    }

    private void addInvocation(TestMethod method) {
        INVOCATIONS
                .computeIfAbsent(TestMethod.outermost(method.type()), unused -> new ConcurrentHashMap<>())
                .merge(method, this, (one, other) -> one.isTracked || other.isTracked ? SEVERAL : other);
    }

    /** Lets the calling thread run its code until the scope is closed. */
    public Scope bind() {
        Binding binding = new Binding(this, BINDING.get(), Binding.NOT_INHERITED);
        BINDING.set(binding);
        return () -> unbind(binding);
    }

    private static void unbind(Binding binding) {
        binding.isClosed = true;
        Binding open = openAmong(BINDING.get());
        if (open == null) {
            BINDING.remove();
        } else {
            BINDING.set(open);
        }
    }

    /** An outer scope may be closed before an inner one, and on another thread. */
    private static @Nullable Binding openAmong(@Nullable Binding innermost) {
        Binding open = innermost;
        while (open != null && open.isClosed) {
            open = open.outer;
        }
        return open;
    }

    /** Binds a thread until the end. */
    public void bind(Thread thread) {
        if (!isOver) {
            threads.add(thread);
            BINDING_THREADS.addIfAbsent(this);
        }
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
    public void receive(String source, AllocationTracker newTracker) {
        tracker = newTracker;
        sources.add(source);
    }

    /** Attributes its allocations on the tracker that it shares to a context. */
    public void attribute(AllocationContext newContext) {
        context = newContext;
        for (RunningTest one = this; one != null; one = one.around) {
            one.hasContexts = true;
        }
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
        BINDING_THREADS.remove(this);
        isOver = true;
        hasContexts = false;
        tracker = null;
        usedLibraries.clear();
        threads.clear();
    }

    /** Returns the tracker for an allocation of the calling thread, if any test or run examines the source. */
    public static Optional<AllocationTracker> trackerOf(String source) {
        if (!UnattributedReports.isReceived(source)) {
            if (RUNNING.stream().anyMatch(one -> !one.isTracked && !one.hasNestedRun())) {
                UnattributedReports.countUntracked(source);
            }
            return Optional.empty();
        }
        RunningTest owner = owner(source, test -> true);
        if (owner != null && !owner.isTracked) {
            UnattributedReports.countUntracked(source);
            return Optional.empty();
        }
        for (RunningTest one = owner; one != null; one = one.around) {
            AllocationTracker own = one.tracker;
            if (own != null && one.sources.contains(source)) {
                return Optional.of(own);
            }
        }
        boolean isOfOtherSource = owner != null && owner.kind == Kind.TEST && !owner.isOver;
        return isOfOtherSource ? Optional.empty() : UnattributedReports.tracker(source, RunningTest::addThread);
    }

    /** Returns the context of a request of the calling thread on the tracker of this test or class. */
    public Optional<AllocationContext> context() {
        if (!hasContexts) {
            return Optional.empty();
        }
        RunningTest owner = owner(this, this::isAround);
        for (RunningTest one = owner; one != null; one = one.around) {
            AllocationContext own = one.context;
            if (own != null && isAround(one)) {
                return Optional.of(own);
            }
        }
        if (owner == null || (owner == this && kind == Kind.CLASS)) {
            addThread(threadsOfNobody);
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
     * @param library what the thread uses
     * @param candidates the tests that can use it
     * @return the test or class; one without annotation is not tracked
     */
    private static @Nullable RunningTest owner(Object library, Predicate<RunningTest> candidates) {
        RunningTest bound = bound();
        if (bound != null && bound.kind != Kind.CONTAINER) {
            bound.use(library);
            return bound;
        }
        TestStack stack = TestStack.ofThread(INVOCATIONS);
        RunningTest shown = stack.onlyTest() == SEVERAL ? null : stack.onlyTest();
        if (shown != null && !shown.isTracked) {
            return shown;
        }
        Binding start = start();
        RunningTest starter = start == null ? null : start.test;
        List<RunningTest> running = running(candidates);
        if (shown != null && !shown.isOver) {
            List<RunningTest> inside = running.stream().filter(shown::isAround).toList();
            RunningTest part = starterOrUser(starter, library, inside, true);
            return part != null && shown.isAround(part) ? part : shown;
        }
        if (bound != null && (bound.isAnnounced || !stack.isOfTest())) {
            return bound;
        }
        if (stack.isOfEngine()) {
            return UNANNOUNCED;
        }
        if (running.stream().allMatch(one -> one.isTracked)) {
            // Code that may be of one of several tests is not that of the test that runs now.
            RunningTest only = starterOrUser(shown == null ? starter : shown, library, running, !stack.showsTest());
            if (only != null) {
                return only;
            }
        }
        return untracked(shown == null ? starter : shown, running);
    }

    private static @Nullable RunningTest bound() {
        for (Binding one = BINDING.get(); one != null; one = one.outer) {
            if (!one.isClosed && !one.isInherited() && !one.test.hasNestedRun()) {
                return one.test;
            }
        }
        Thread thread = Thread.currentThread();
        List<RunningTest> binding = innermost(BINDING_THREADS, test -> test.threads.contains(thread));
        return binding.size() == 1 ? binding.get(0) : null;
    }

    /** Looks first: it happens for each allocation. */
    private void use(Object library) {
        if (!usedLibraries.contains(library)) {
            usedLibraries.add(library);
        }
    }

    /** Returns the binding that the calling thread has inherited. */
    private static @Nullable Binding start() {
        Binding outermost = BINDING.get();
        while (outermost != null && outermost.outer != null) {
            outermost = outermost.outer;
        }
        boolean isStarted = outermost != null && outermost.isInherited() && !outermost.test.hasNestedRun();
        return isStarted ? outermost : null;
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

    /** Returns the innermost test or class around all that run, if it has started the thread, or may use it and uses the library. */
    private static @Nullable RunningTest starterOrUser(
            @Nullable RunningTest starter, Object library, List<RunningTest> running, boolean mayBeUser) {
        boolean isOfTest = starter != null && starter.kind == Kind.TEST;
        boolean isOfEndedTest = starter != null && isOfTest && starter.isOver;
        RunningTest one = running.isEmpty() || isOfEndedTest ? starter : running.get(0);
        for (; one != null; one = one.around) {
            boolean isStarter = starter != null && one.isAround(starter);
            boolean isUser = mayBeUser && !isOfTest && one.kind == Kind.TEST && one.usedLibraries.contains(library);
            if ((isStarter || isUser) && !one.isOver && running.stream().allMatch(one::isAround)) {
                one.use(library);
                return one;
            }
        }
        return null;
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

    private static void addThread(ThreadNotes notes) {
        Binding start = start();
        notes.add(
                Thread.currentThread().getName(),
                start == null ? "no test" : start.test.name,
                start == null ? 0 : BEGUN.get() - start.begunBefore,
                running(test -> true).stream().map(test -> test.name).toList());
    }

    // Runs within tests

    /** Returns the tests in which a run begins, because the thread works for them too: they wait for it and do nothing meanwhile. */
    static List<RunningTest> beginNestedRun(String idInRun) {
        List<RunningTest> outer = new ArrayList<>();
        for (Binding one = openAmong(BINDING.get()); one != null; one = openAmong(one.outer)) {
            RunningTest test = one.test;
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

    /** Forgets which methods have run. */
    static void forgetInvocations() {
        INVOCATIONS.clear();
    }

    // Tests without annotation

    /**
     * Called by the listener of a launcher, on the thread that runs a test or container from now on.
     *
     * @param method the name of the method; empty for a class
     */
    public static void announce(String id, boolean isTest, String type, String method) {
        // JUnit creates the instance of a test, for which its session begins, before it announces the test.
        if (RUNNING.stream().anyMatch(one -> one.isTracked && (one.id.equals(id) || one.isParentOf(id)))) {
            return;
        }
        String simpleName = type.substring(type.lastIndexOf('.') + 1);
        RunningTest announced = new RunningTest(
                isTest ? Kind.TEST : Kind.CONTAINER,
                method.isEmpty() ? simpleName : simpleName + "#" + method,
                id,
                null,
                false);
        announced.isAnnounced = true;
        RUNNING.add(announced);
        if (isTest) {
            BEGUN.incrementAndGet();
            announced.addInvocation(new TestMethod(type, method));
        }
        announced.bind();
    }

    /** Called by the listener of a launcher, on the same thread. */
    public static void finished(String id) {
        for (Binding one = openAmong(BINDING.get()); one != null; one = openAmong(one.outer)) {
            if (!one.isInherited() && one.test.isAnnounced && one.test.id.equals(id)) {
                one.test.end();
                unbind(one);
                return;
            }
        }
    }

    /** Returns whether a listener has announced a test or a class around it. */
    public static boolean isAnnounced(String id) {
        return RUNNING.stream().anyMatch(one -> one.isAnnounced && (one.isParentOf(id) || one.id.equals(id)));
    }

    /** Lets the calling thread run a class whose tests are tracked, until the scope is closed. */
    public static Scope enterClass(String name, String id) {
        if (enter(id)) {
            return () -> {};
        }
        RunningTest type = new RunningTest(Kind.CONTAINER, name, id, null, true);
        RUNNING.add(type);
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
            if (one.isAnnounced && one.id.equals(id)) {
                isKnown = true;
                one.isTracked = true;
                if (one.kind == Kind.TEST) {
                    one.kind = Kind.CONTAINER;
                    INVOCATIONS.values().forEach(methods -> methods.values().remove(one));
                }
            }
        }
        return isKnown;
    }

    private boolean isParentOf(String other) {
        return other.length() > id.length() && other.charAt(id.length()) == '/' && other.startsWith(id);
    }
}
