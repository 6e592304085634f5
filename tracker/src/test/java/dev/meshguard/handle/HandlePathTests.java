package dev.meshguard.handle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Reachability;
import dev.meshguard.tracker.OriginCapture;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The path from an object of the test to a forgotten handle. */
@SuppressWarnings({"UnusedVariable", "JdkObsolete", "IdentityHashMapUsage"}) // Only searches read them.
class HandlePathTests {

    private static final Handle HANDLE = new Handle("the handle");

    private static @Nullable Object registry;

    private final FieldSearch search = new FieldSearch();

    private @Nullable Object kept;

    @AfterEach
    void forget() {
        registry = null;
    }

    static Stream<Arguments> containers() throws Exception {
        return Stream.of(
                Arguments.of(List.of("a", "b", HANDLE), "List[2]"),
                Arguments.of(Arrays.asList("", null, HANDLE), "List[2]"),
                Arguments.of(new ArrayList<>(List.of(HANDLE)), "ArrayList[0]"),
                Arguments.of(new ArrayDeque<>(List.of("", HANDLE)), "ArrayDeque[1]"),
                Arguments.of(new PriorityQueue<>(List.of(HANDLE)), "an element of PriorityQueue"),
                Arguments.of(Collections.unmodifiableList(new ArrayList<>(List.of(HANDLE))), "List[0]"),
                Arguments.of(Set.of(HANDLE), "an element of Set"),
                Arguments.of(new HashSet<>(Set.of("", HANDLE)), "an element of HashSet"),
                Arguments.of(ConcurrentHashMap.newKeySet(), null),
                Arguments.of(Map.of("layer3", HANDLE), "Map[\"layer3\"]"),
                Arguments.of(new LinkedHashMap<>(Map.of(3, HANDLE)), "LinkedHashMap[3]"),
                Arguments.of(new TreeMap<>(Map.of(-3L, HANDLE)), "TreeMap[-3]"),
                Arguments.of(new ConcurrentHashMap<>(Map.of('c', HANDLE)), "ConcurrentHashMap[c]"),
                Arguments.of(new EnumMap<>(Map.of(Thread.State.NEW, HANDLE)), "EnumMap[NEW]"),
                Arguments.of(new HashMap<>(Map.of(new Key("k"), HANDLE)), "HashMap[a Key]"),
                Arguments.of(new HashMap<>(Map.of(new Odd(), HANDLE)), "HashMap[an Odd]"),
                Arguments.of(new HashMap<>(Map.of(HANDLE, "value")), "a key of HashMap"),
                Arguments.of(new HashMap<>(Collections.singletonMap(null, HANDLE)), "the value of null of HashMap"),
                Arguments.of(new HashMap<>(Map.of("a", HANDLE)).values(), "an element of Collection"),
                Arguments.of(new IdentityHashMap<>(Map.of("a", HANDLE)), "IdentityHashMap[\"a\"]"),
                Arguments.of(new WeakHashMap<>(Map.of("a", HANDLE)), "a value of WeakHashMap"),
                Arguments.of(new WeakHashMap<>(Map.of(HANDLE, "a")), null),
                Arguments.of(Map.entry("a", HANDLE), "Map.Entry"),
                Arguments.of(Optional.of(HANDLE), "Optional"),
                Arguments.of(new AtomicReference<>(HANDLE), "AtomicReference"),
                Arguments.of(new AtomicReferenceArray<>(new Object[] {"", HANDLE}), "AtomicReferenceArray[1]"),
                Arguments.of(CompletableFuture.completedFuture(HANDLE), "CompletableFuture"),
                Arguments.of(new CompletableFuture<>(), null),
                Arguments.of(ended(() -> HANDLE), "FutureTask"),
                Arguments.of(scheduled(() -> HANDLE), "ScheduledFutureTask"),
                Arguments.of(ended(() -> List.of().get(0)), null),
                Arguments.of(new FutureTask<>(() -> HANDLE), null),
                Arguments.of(new Object[] {null, HANDLE}, "Object[1]"),
                Arguments.of(new Object[][] {{}, {HANDLE}}, "Object[][1] -> Object[0]"),
                Arguments.of(new WeakReference<>(HANDLE), null),
                Arguments.of(new SoftReference<>(HANDLE), null),
                Arguments.of(ThreadLocal.withInitial(() -> HANDLE), null),
                Arguments.of(Thread.currentThread(), null),
                Arguments.of(HANDLE.getClass(), null));
    }

    private static FutureTask<?> ended(Callable<?> code) {
        FutureTask<?> task = new FutureTask<>(code);
        task.run();
        return task;
    }

    private static Future<?> scheduled(Callable<?> code) throws Exception {
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        Future<?> task = executor.schedule(code, 0, TimeUnit.SECONDS);
        task.get();
        executor.shutdown();
        return task;
    }

    @ParameterizedTest
    @MethodSource("containers")
    void leadsThroughWhatHoldsObjects(Object container, @Nullable String step) {
        kept = container;

        assertThat(search.pathFrom(this, HANDLE))
                .isEqualTo(Optional.ofNullable(step).map(told -> "HandlePathTests.kept -> " + told));
    }

    @ParameterizedTest
    @MethodSource("containers")
    void aContainerIsHeldByItsField(Object container, @Nullable String step) {
        Stream<String> steps = Stream.ofNullable(step).flatMap(told -> Stream.of(told.split(" -> ", -1)));

        assertThat(Reachability.heldBy(Stream.concat(Stream.of("HandlePathTests.kept"), steps)
                                .toList())
                        .holder())
                .hasValue(0);
    }

    @Test
    void leadsThroughFieldsOfOtherClasses() {
        kept = new Generator(new Model(new ArrayList<>(List.of("", HANDLE))));

        assertThat(search.pathFrom(this, HANDLE))
                .hasValue("HandlePathTests.kept -> Generator.model -> Model.weights -> ArrayList[1]");
    }

    @Test
    void namesAStaticFieldByItsClass() {
        registry = new Model(List.of(HANDLE));

        assertThat(search.path(HandleSearch.from().statics(HandlePathTests.class), HANDLE.copy()))
                .isEmpty();
        assertThat(search.path(HandleSearch.from().statics(HandlePathTests.class), HANDLE))
                .hasValue("HandlePathTests.HANDLE");
    }

    @Test
    void leadsThroughAStaticFieldOfAClassThatRequestedTheBuffer() {
        FieldSearch onStacks = new FieldSearch(OriginCapture.ALLOCATIONS);
        MemoryRequest request = Cache.allocate(onStacks, HANDLE.copy());

        onStacks.run(HandleSearch.from(this).collectingBy(() -> true));

        assertThat(onStacks.reachabilityOf(request).pathText()).hasValue("Cache.all -> ArrayList[0]");
    }

    @Test
    void leadsThroughTheTestBeforeTheClassesThatRequestedTheBuffer() {
        FieldSearch onStacks = new FieldSearch(OriginCapture.ALLOCATIONS);
        Handle handle = HANDLE.copy();
        MemoryRequest request = Cache.allocate(onStacks, handle);
        kept = handle;

        onStacks.run(HandleSearch.from(this).collectingBy(() -> true));

        assertThat(onStacks.reachabilityOf(request).pathText()).hasValue("HandlePathTests.kept");
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void doesNotWaitForAStaticInitializerThatStillRuns() throws InterruptedException {
        FieldSearch onStacks = new FieldSearch(OriginCapture.ALLOCATIONS);
        Endless.search = onStacks;
        Thread initializing = new Thread(() -> Server.HANDLE_OF_SERVER.copy());
        initializing.start();
        Endless.HAS_ALLOCATED.await();

        onStacks.run(HandleSearch.from(this).collectingBy(() -> true));

        assertThat(onStacks.unread()).contains(Server.class.getName());
        Endless.MAY_END.countDown();
        initializing.join();
    }

    @Test
    void initialisesNoOtherClassOfTheNameOfOneThatRan() throws ReflectiveOperationException {
        FieldSearch onStacks = new FieldSearch(OriginCapture.ALLOCATIONS);
        Handle handle = HANDLE.copy();
        Runnable plugin = (Runnable) new CopyingLoader(Plugin.class)
                .loadClass(Plugin.class.getName())
                .getConstructor(Runnable.class)
                .newInstance((Runnable) () -> onStacks.allocate(handle));
        plugin.run();

        onStacks.run(HandleSearch.from(this).collectingBy(() -> true));

        assertThat(Initialised.PLUGINS).hasValue(1);
        assertThat(handle).isNotNull();
    }

    /** A start that ends only when the search has ended. */
    private static final class Endless {
        private static final CountDownLatch HAS_ALLOCATED = new CountDownLatch(1);
        private static final CountDownLatch MAY_END = new CountDownLatch(1);
        private static FieldSearch search = new FieldSearch();
    }

    private static final class Server {
        private static final Handle HANDLE_OF_SERVER = started();

        private static Handle started() {
            Handle handle = HANDLE.copy();
            Endless.search.allocate(handle);
            Endless.HAS_ALLOCATED.countDown();
            try {
                Endless.MAY_END.await();
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
            return handle;
        }
    }

    /** Counts how often classes were initialised. */
    public static final class Initialised {
        private static final AtomicInteger PLUGINS = new AtomicInteger();

        public static int count() {
            return PLUGINS.incrementAndGet();
        }
    }

    /** Code under test that runs in a class loader of its own. */
    public record Plugin(Runnable code) implements Runnable {
        private static final List<Integer> NUMBER = List.of(Initialised.count());

        @Override
        public void run() {
            code.run();
        }
    }

    /** Has a copy of a class. */
    private static final class CopyingLoader extends ClassLoader {
        private final Class<?> copied;

        CopyingLoader(Class<?> copied) {
            super(copied.getClassLoader());
            this.copied = copied;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(copied.getName())) {
                return super.loadClass(name, resolve);
            }
            try (InputStream file = copied.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }
    }

    /** Code under test that keeps what it allocates. */
    private static final class Cache {
        private static List<Handle> all = List.of();

        private static MemoryRequest allocate(FieldSearch search, Handle handle) {
            all = new ArrayList<>(List.of(handle));
            return search.allocate(handle);
        }
    }

    @Test
    void isTheNameOfARootThatIsTheHandleItself() {
        assertThat(search.pathFrom(HANDLE, HANDLE)).hasValue("Handle");
    }

    @Test
    void isTheShortestOneThereIs() {
        kept = new Object[] {new Generator(new Model(List.of(HANDLE))), new Model(List.of(HANDLE)), HANDLE};

        assertThat(search.pathFrom(this, HANDLE)).hasValue("HandlePathTests.kept -> Object[2]");
    }

    @Test
    void leadsThroughWhatALambdaCaptured() {
        Handle captured = HANDLE.copy();
        Supplier<Object> supplier = () -> captured;
        kept = supplier;

        assertThat(search.pathFrom(this, captured)).hasValue("HandlePathTests.kept -> a lambda");
    }

    @Test
    @SuppressWarnings("UnnecessaryAnonymousClass") // It is what is searched.
    void leadsThroughWhatAnAnonymousClassCaptured() {
        Handle captured = HANDLE.copy();
        kept = new Function<String, Object>() {
            @Override
            public Object apply(String unused) {
                return captured;
            }
        };

        assertThat(search.pathFrom(this, captured)).hasValue("HandlePathTests.kept -> an anonymous Function.captured");
    }

    @Test
    void leadsToTheObjectAroundAnInnerOne() {
        Outer outer = new Outer();

        assertThat(search.pathFrom(outer.new Inner(), outer.cache))
                .hasValue("Inner.the object around it -> Outer.cache");
    }

    @Test
    void leadsThroughRecordsAndFieldsOfSuperclasses() {
        kept = new Special(new Key(""), HANDLE);

        assertThat(search.pathFrom(this, HANDLE)).hasValue("HandlePathTests.kept -> General.inherited");

        kept = new Pair(null, HANDLE);

        assertThat(search.pathFrom(this, HANDLE)).hasValue("HandlePathTests.kept -> Pair.second");
    }

    @Test
    void endsInACycleThatHoldsNothing() {
        Node first = new Node();
        Node second = new Node();
        first.next = second;
        second.next = first;
        kept = new Object[] {first, second, this};

        assertThat(search.pathFrom(this, HANDLE)).isEmpty();
    }

    @Test
    void leavesOutTheMiddleOfALongWay() {
        Node first = new Node();
        Node last = first;
        for (int length = 0; length < 10_000; length++) {
            last.next = new Node();
            last = last.next;
        }
        last.end = HANDLE;
        kept = first;

        assertThat(search.pathFrom(this, HANDLE))
                .hasValue("HandlePathTests.kept -> Node.next -> Node.next -> Node.next"
                        + " -> … -> Node.next -> Node.next -> Node.end");
    }

    @Test
    void doesNotDescribeTheInsideOfAPartOfAHandle() {
        kept = new ArrayList<>(List.of(new Tensor(new Storage(HANDLE))));

        assertThat(search.pathFrom(this, HANDLE)).hasValue("HandlePathTests.kept -> ArrayList[0]");
        assertThat(search.pathFrom(new Tensor(new Storage(HANDLE)), HANDLE)).hasValue("Tensor");
    }

    @Test
    void doesNotLeadThroughWhatKnowsEverything() {
        kept = new Mesh(HANDLE);

        assertThat(search.pathFrom(this, HANDLE)).isEmpty();
    }

    @Test
    void runsNoCodeOfTheProgram() {
        kept = new Object[] {
            new HashMap<>(Map.of("a", new Grumpy())),
            new Grumpy(),
            List.of(new Grumpy()),
            new GrumpyList(),
            Optional.of(new Grumpy()),
            HANDLE
        };

        assertThat(search.pathFrom(this, HANDLE)).hasValue("HandlePathTests.kept -> Object[5]");
    }

    @Test
    void reportsWhoseContentsItCouldNotRead() {
        GrumpyList unreadable = new GrumpyList();
        unreadable.also = HANDLE;
        kept = unreadable;

        assertThat(search.pathFrom(this, HANDLE)).hasValue("HandlePathTests.kept -> GrumpyList.also");
        assertThat(search.pathFrom(this, HANDLE.copy())).isEmpty();
        assertThat(search.unread()).containsExactly(GrumpyList.class.getName());
    }

    @Test
    void shortensKeysAndReplacesControlCharacters() {
        kept = new HashMap<>(Map.of("a\nb" + "x".repeat(50), HANDLE));

        assertThat(search.pathFrom(this, HANDLE))
                .hasValue("HandlePathTests.kept -> HashMap[\"a?b" + "x".repeat(37) + "…\"]");
    }

    @Test
    void survivesAContainerThatIsChangedMeanwhile() throws InterruptedException {
        List<Object> changing = new ArrayList<>();
        kept = new Object[] {changing, HANDLE};
        Thread changer = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                changing.add("one more");
                if (changing.size() > 1_000) {
                    changing.clear();
                }
            }
        });
        changer.start();

        try {
            for (int times = 0; times < 200; times++) {
                assertThat(search.pathFrom(this, HANDLE)).hasValue("HandlePathTests.kept -> Object[1]");
            }
        } finally {
            changer.interrupt();
            changer.join();
        }
    }

    private record Handle(String name) implements Comparable<Handle> {
        Handle copy() {
            return new Handle(name);
        }

        @Override
        public int compareTo(Handle other) {
            return name.compareTo(other.name);
        }
    }

    private record Key(String name) {}

    private record Odd() {}

    private record Generator(Model model) {}

    private record Model(List<Object> weights) {}

    private record Pair(@Nullable Object first, Object second) {}

    @PartOfHandle
    private record Tensor(Storage storage) {}

    @PartOfHandle
    private record Storage(Object handle) {}

    @NotSearched
    private record Mesh(Object buffer) {}

    private static class General {
        final Object inherited;

        General(Object inherited) {
            this.inherited = inherited;
        }
    }

    private static final class Special extends General {
        final Key own;

        Special(Key own, Object inherited) {
            super(inherited);
            this.own = own;
        }
    }

    private static final class Outer {
        private final Handle cache = new Handle("outer");

        private final class Inner {
            @Override
            public String toString() {
                return "inside of " + cache;
            }
        }
    }

    private static final class Node {
        private @Nullable Node next;
        private @Nullable Object end;
    }

    /** Fails if the search calls one of its methods. */
    private static final class Grumpy {
        @Override
        public boolean equals(Object other) {
            throw new AssertionError("equals was called");
        }

        @Override
        public int hashCode() {
            throw new AssertionError("hashCode was called");
        }

        @Override
        public String toString() {
            throw new AssertionError("toString was called");
        }
    }

    private static final class GrumpyList extends AbstractList<Object> {
        private @Nullable Object also;

        @Override
        public Object get(int index) {
            throw new AssertionError("get was called");
        }

        @Override
        public int size() {
            throw new AssertionError("size was called");
        }
    }
}
