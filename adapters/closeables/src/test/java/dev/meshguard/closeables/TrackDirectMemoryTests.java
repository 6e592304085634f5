package dev.meshguard.closeables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.closeables.weave.OtherAgent;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TestThreads;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.OwnJvm;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.weave.JdkLookup;
import dev.meshguard.weave.WatchedType;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Buffers outside the heap must be garbage when a test ends; the code that allocates them knows nothing of it. */
@SuppressWarnings({"UnusedVariable", "UnusedMethod"}) // Fields hold what leaks.
class TrackDirectMemoryTests implements WithFixtures {

    private static final long SEED = 4_400;

    // Holders

    @TrackDirectMemory
    static class CacheTestCase {
        private static final List<ByteBuffer> CACHE = new ArrayList<>();

        @Test
        @MustFail(message = """
                LEAK  4 KiB of direct memory in 1 buffer, HELD; allocated in TrackDirectMemoryTests.java:NN

                1. direct memory  4 KiB
                   at dev.meshguard.closeables.TrackDirectMemoryTests$CacheTestCase.keepsOneOfThree(TrackDirectMemoryTests.java:NN)
                   why   HELD: still referenced by CacheTestCase.CACHE -> ArrayList[0] ({handle traced})
                   fix   Drop the buffer before the test ends.
                   seen  allocated in TEST ({allocated 2})
                         2 of 3 buffers from this line were dropped

                sum     3 allocated = 2 freed + 1 leaked
                expect  @ExpectBuffers(size = 4096, atMost = 1, origin = "TrackDirectMemoryTests$CacheTestCase.keepsOneOfThree", because = "…")
                rerun   mvn test -Dtest='TrackDirectMemoryTests$CacheTestCase#keepsOneOfThree'""")
        void keepsOneOfThree() {
            for (int i = 0; i < 3; i++) {
                ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
                if (i == 1) {
                    CACHE.add(buffer);
                }
            }
        }
    }

    @TrackDirectMemory
    static class ThreadLocalTestCase {
        private static final ThreadLocal<ByteBuffer> SCRATCH =
                ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(4096));

        @Test
        @MustFail(message = """
                LEAK  4 KiB of direct memory in 1 buffer, HELD; allocated in TrackDirectMemoryTests.java:NN

                1. direct memory  4 KiB
                   at dev.meshguard.closeables.TrackDirectMemoryTests$ThreadLocalTestCase.lambda$static$0(TrackDirectMemoryTests.java:NN)
                   why   HELD: still referenced by a thread local of thread "main" ({handle traced})
                   fix   Drop the buffer before the test ends.
                   seen  allocated in TEST ({allocated})

                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(size = 4096, atMost = 1, origin = "TrackDirectMemoryTests$ThreadLocalTestCase.static", because = "…")
                rerun   mvn test -Dtest='TrackDirectMemoryTests$ThreadLocalTestCase#encodes'""")
        void encodes() {
            SCRATCH.get().putInt(1);
        }

        @AfterAll
        static void remove() {
            SCRATCH.remove();
        }
    }

    /** A library that keeps buffers, for each thread and for all. */
    static final class Codec {
        private static final ThreadLocal<Codec> OF_THREAD = ThreadLocal.withInitial(Codec::new);
        private static final List<ByteBuffer> CACHE = Collections.synchronizedList(new ArrayList<>());
        private ByteBuffer scratch;

        static void cache() {
            CACHE.add(ByteBuffer.allocateDirect(4096));
        }

        static void encode() {
            OF_THREAD.get().scratch = ByteBuffer.allocateDirect(4096);
        }
    }

    /** The buffers of the thread that work for nobody are garbage when the run ends. */
    @TrackDirectMemory
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class ThreadsTestCase {
        private static final ExecutorService POOL =
                Executors.newSingleThreadExecutor(task -> new Thread(task, "codec"));

        @Test
        @MustFail(text = "HELD: still referenced by a thread local of thread \"codec\" -> Codec.scratch (")
        void aStartsTheThread() throws ExecutionException, InterruptedException {
            POOL.submit(Codec::encode).get();
        }

        @Test
        void bUsesThatOfAnEndedTest() throws ExecutionException, InterruptedException {
            POOL.submit(Codec::encode).get();
        }

        @Test
        @MustFail(text = "HELD: still referenced by a thread local of thread \"codec\" -> Codec.scratch (")
        void cBindsIt(TestThreads threads) throws ExecutionException, InterruptedException {
            threads.bind(POOL);
            POOL.submit(Codec::encode).get();
        }

        @Test
        void dUsesItOnceMoreAndStopsIt() throws ExecutionException, InterruptedException {
            POOL.submit(() -> ByteBuffer.allocateDirect(512).slice()).get();
            POOL.submit(Codec.OF_THREAD::remove).get();
        }

        @AfterAll
        static void stop() {
            POOL.shutdown();
        }
    }

    @TrackDirectMemory
    @TestMethodOrder(MethodOrderer.MethodName.class)
    @MustFail(
            run = true,
            text = {"LEAK  4 KiB of direct memory in 1 buffer, ", "threads that work for no test"})
    static class NobodyTestCase {
        private static final ExecutorService POOL = Executors.newSingleThreadExecutor();

        @Test
        void aStartsTheThread() throws ExecutionException, InterruptedException {
            POOL.submit(() -> {}).get();
        }

        @Test
        void bUsesThatOfAnEndedTest() throws ExecutionException, InterruptedException {
            POOL.submit(Codec::cache).get();
        }

        @AfterAll
        static void stop() {
            POOL.shutdown();
        }
    }

    /** Also run in a JVM of its own, in which nothing is woven yet. */
    @TrackDirectMemory
    @MustFail(run = true, text = "LEAK  4 KiB of direct memory in 1 buffer, ")
    static class BeforeAllTestCase {
        private static ByteBuffer kept;

        @BeforeAll
        static void allocate() {
            kept = ByteBuffer.allocateDirect(4_096);
        }

        @Test
        void encodes() {}

        /** Prints the failures. */
        public static void main(String... unused) {
            System.out.println(JupiterRun.failuresOf(BeforeAllTestCase.class));
        }
    }

    @Test
    void theRunIsResponsibleForWhatTheFirstClassAllocatesBeforeItsTests() throws IOException {
        assertThat(OwnJvm.outputOf(BeforeAllTestCase.class))
                .contains(
                        "LEAK  4 KiB of direct memory in 1 buffer, HELD; allocated in TrackDirectMemoryTests.java:",
                        "still referenced by BeforeAllTestCase.kept");
    }

    @TrackDirectMemory
    static class ViewTestCase {
        private Buffer view;

        @Test
        @MustFail(text = {"HELD: still referenced by ViewTestCase.view (", "sum     1 allocated = 0 freed + 1 leaked"})
        void slices() {
            view = ByteBuffer.allocateDirect(4096).slice(1024, 10).asReadOnlyBuffer();
        }

        @Test
        @MustFail(text = {"HELD: still referenced by ViewTestCase.view (", "sum     1 allocated = 0 freed + 1 leaked"})
        void viewsInts() {
            view = ByteBuffer.allocateDirect(4096).duplicate().asIntBuffer();
        }
    }

    @TrackDirectMemory
    static class MappedTestCase {
        private static final Map<String, ByteBuffer> MAPPED = new HashMap<>();

        private static ByteBuffer map(Path folder, MapMode mode) throws IOException {
            Path file = Files.write(folder.resolve("data"), new byte[8192]);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(mode, 0, 8192);
            }
        }

        @Test
        @MustFail(
                text = {
                    "LEAK  8 KiB of mapped memory in 1 buffer, HELD; ",
                    "TrackDirectMemoryTests$MappedTestCase.map(",
                    "still referenced by MappedTestCase.MAPPED -> HashMap[\"index\"] ("
                })
        void keepsAMapping(@TempDir Path folder) throws IOException {
            MAPPED.put("index", map(folder, MapMode.READ_WRITE));
        }

        @Test
        @MustFail(
                text = {
                    "LEAK  8 KiB of mapped memory in 1 buffer, HELD; ",
                    "TrackDirectMemoryTests$MappedTestCase.map(",
                    "still referenced by MappedTestCase.MAPPED -> HashMap[\"index\"] ("
                })
        void keepsAReadOnlyMapping(@TempDir Path folder) throws IOException {
            MAPPED.put("index", map(folder, MapMode.READ_ONLY));
        }

        @Test
        void dropsAMapping(@TempDir Path folder) throws IOException {
            map(folder, MapMode.READ_ONLY);
        }
    }

    // Free buffers

    @TrackDirectMemory
    static class FreeTestCase {
        private ByteBuffer cleaned;
        private ByteBuffer empty;

        @Test
        void dropsAll() {
            for (int i = 0; i < 50; i++) {
                ByteBuffer.allocateDirect(4096).slice().duplicate().asReadOnlyBuffer();
            }
        }

        @Test
        void cleans() throws ReflectiveOperationException {
            cleaned = ByteBuffer.allocateDirect(4096);
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field field = unsafe.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            for (int call = 0; call < 2; call++) {
                unsafe.getMethod("invokeCleaner", ByteBuffer.class).invoke(field.get(null), cleaned);
            }
        }

        @Test
        void keepsOneWithoutBytes() {
            empty = ByteBuffer.allocateDirect(0);
        }

        /** The JDK keeps a copy outside the heap for the next write of this thread. */
        @Test
        void writesFromTheHeap(@TempDir Path folder) throws IOException {
            try (FileChannel channel =
                    FileChannel.open(folder.resolve("data"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.allocate(48_000 + new Random().nextInt(1_000)));
            }
        }
    }

    @TrackDirectMemory
    static class ExpectedTestCase {
        private static final List<ByteBuffer> CACHE = new ArrayList<>();

        @Test
        @ExpectBuffers(exactly = 1, size = 4096, because = "the cache lasts")
        void keepsOneOfMany() {
            IntStream.range(0, 20)
                    .mapToObj(i -> ByteBuffer.allocateDirect(4096))
                    .forEach(CACHE::add);
            CACHE.subList(1, CACHE.size()).clear();
        }
    }

    @TrackAllocations
    @TrackDirectMemory
    static class CollectionsCase {
        private static final ThreadLocal<Consumer<AllocationTracker>> QUESTION = new ThreadLocal<>();

        @Test
        void asks(AllocationTracker tracker) {
            QUESTION.get().accept(tracker);
        }
    }

    @Test
    void withoutABufferNoCollectionIsForced() {
        assertThat(DirectBuffers.OF_JVM.freeCollected(AllocationTracker.create(), () -> {
                    throw new AssertionError("a collection");
                }))
                .isTrue();
    }

    @Test
    void withoutACollectionNobodyKnowsWhetherABufferIsFree() {
        CollectionsCase.QUESTION.set(tracker -> {
            ByteBuffer kept = ByteBuffer.allocateDirect(4096);
            assertThat(DirectBuffers.OF_JVM.freeCollected(tracker, () -> false)).isFalse();
            assertThat(kept.capacity()).isEqualTo(4096);
        });

        RunAssert.assertThat(JupiterRun.run(CollectionsCase.class)).hasOnlySucceeded(1);
    }

    // Lines

    @TrackDirectMemory
    static class LineTestCase {
        private final Map<Integer, ByteBuffer> buffers = new HashMap<>();

        @Test
        @MustFail(text = "at dev.meshguard.closeables.TrackDirectMemoryTests$LineTestCase.allocatesByTheJdk(")
        void allocatesByTheJdk() {
            buffers.computeIfAbsent(4096, ByteBuffer::allocateDirect);
        }
    }

    // The buffer pools

    private static MethodHandle ofPool(String method) throws ReflectiveOperationException {
        Class<?> bits = Class.forName("java.nio.Bits");
        return JdkLookup.in(bits).findStatic(bits, method, MethodType.methodType(void.class, long.class, long.class));
    }

    @TrackDirectMemory
    static class PoolCase {
        private static final List<ByteBuffer> KEPT = new ArrayList<>();

        @Test
        void allocatesMemoryThatIsNoBuffer() throws Throwable {
            KEPT.add(ByteBuffer.allocateDirect(4096));
            ofPool("reserveMemory").invoke(1024L, 1024L);
        }

        @Test
        void allocatesOnlyABuffer() {
            KEPT.add(ByteBuffer.allocateDirect(4096));
        }
    }

    @Test
    void aNoteSaysThatThePoolsGrewByMoreThanWasSeen() throws Throwable {
        try {
            RunAssert run = RunAssert.assertThat(JupiterRun.run(PoolCase.class));

            run.hasTest("allocatesMemoryThatIsNoBuffer")
                    .whichFailed()
                    .withTextContaining(
                            "note    the JDK's buffer pools grew by 1 KiB more than the buffers that were seen");
            assertThat(run.hasTest("allocatesOnlyABuffer").whichFailed().text())
                    .doesNotContain("the JDK's buffer pools");
        } finally {
            ofPool("unreserveMemory").invoke(1024L, 1024L);
        }
    }

    @Test
    void nothingIsSaidAboutThePoolsWhileSeveralTestsRun() throws Throwable {
        BufferPoolGrowth one = BufferPoolGrowth.begin();
        BufferPoolGrowth other = BufferPoolGrowth.begin();
        ofPool("reserveMemory").invoke(1024L, 1024L);
        try {
            assertThat(one.unseen()).isEmpty();
            assertThat(other.unseen()).isEmpty();
        } finally {
            ofPool("unreserveMemory").invoke(1024L, 1024L);
        }
    }

    // Concurrent tests

    @TrackAllocations
    @TrackDirectMemory
    static class ConcurrentCase {
        static final List<ByteBuffer> KEPT = Collections.synchronizedList(new ArrayList<>());
        static volatile long seed;

        static Set<Integer> leaking() {
            Random random = new Random(seed);
            return IntStream.range(0, 4)
                    .filter(test -> random.nextInt(4) == 0)
                    .boxed()
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        static Stream<Integer> tests() {
            return IntStream.range(0, 4).boxed();
        }

        @ParameterizedTest(name = "{0}")
        @MethodSource("tests")
        void allocates(int test) throws InterruptedException {
            Thread thread = new Thread(() -> ByteBuffer.allocateDirect(512).slice());
            thread.start();
            for (int i = 0; i < 20; i++) {
                ByteBuffer buffer = ByteBuffer.allocateDirect(256);
                if (i == 0 && leaking().contains(test)) {
                    KEPT.add(buffer);
                }
            }
            thread.join();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void ofConcurrentTestsThoseFailThatKeepABuffer(long seed) {
        ConcurrentCase.seed = seed;

        RunAssert.assertThat(JupiterRun.runConcurrently(ConcurrentCase.class))
                .hasOnlyFailed(
                        ConcurrentCase.leaking().stream().map(String::valueOf).toArray(String[]::new));
    }

    @Test
    void collectedBuffersAreForgottenThoughNoTestAsksForThem() {
        CollectionsCase.QUESTION.set(tracker -> {
            List<ByteBuffer> kept = new ArrayList<>(IntStream.range(0, 1000)
                    .mapToObj(ByteBuffer::allocateDirect)
                    .skip(1)
                    .toList());
            long most = tracker.liveBuffers();
            assertThat(kept).hasSize(999).allMatch(ByteBuffer::isDirect);
            kept.clear();

            for (int i = 0; i < 100 && tracker.liveBuffers() > most - 500; i++) {
                System.gc();
                ByteBuffer.allocateDirect(1);
            }

            assertThat(tracker.liveBuffers()).isLessThanOrEqualTo(most - 500);
        });

        RunAssert.assertThat(JupiterRun.run(CollectionsCase.class)).hasOnlySucceeded(1);
    }

    static class Woven implements AutoCloseable {

        @Override
        public void close() {}
    }

    /** The weaver waits for class loaders and for other agents, and they for threads. */
    @Test
    void aBufferIsAllocatedWhileTheWeaverWaitsAndAnotherTestBegins() {
        DirectBuffers.OF_JVM.watch();
        Instrumentation agent = ByteBuddyAgent.getInstrumentation();
        List<Integer> allocated = new CopyOnWriteArrayList<>();
        OtherAgent waiting = (name, loaded) -> {
            if (Woven.class.equals(loaded)) {
                Thread beginning = new Thread(DirectBuffers.OF_JVM::watch);
                beginning.start();
                while (beginning.getState() != Thread.State.WAITING && beginning.isAlive()) {
                    Thread.onSpinWait();
                }
                allocated.add(CompletableFuture.supplyAsync(
                                () -> ByteBuffer.allocateDirect(1).capacity())
                        .orTimeout(1, TimeUnit.MINUTES)
                        .join());
            }
        };
        agent.addTransformer(waiting, true);

        OpenObjects.OF_JVM.track(List.of(new WatchedType(Woven.class.getName(), Set.of("close"))));
        agent.removeTransformer(waiting);

        assertThat(allocated).isNotEmpty();
    }

    static Stream<Long> seeds() {
        long first = Long.getLong("meshguard.seed", SEED);
        return IntStream.range(0, 20).mapToObj(index -> first + index);
    }
}
