package dev.meshguard.closeables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TestThreads;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.OwnJvm;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.weave.WatchedType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Currency;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Scanner;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.function.ThrowingSupplier;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.commons.support.ReflectionSupport;
import org.mockito.Mockito;

/** Objects of named classes must be closed; the code that constructs and closes them knows nothing of it. */
@SuppressWarnings({"UnusedVariable", "MustBeClosedChecker", "UnusedMethod"}) // Fields hold what leaks.
class TrackCloseablesTests implements WithFixtures {

    private static final long SEED = 4_300;

    /** A handle of a library. */
    static class Cursor implements AutoCloseable {

        Cursor() {}

        Cursor(boolean fails) {
            if (fails) {
                throw new IllegalStateException("no memory");
            }
        }

        @Override
        public void close() {}
    }

    /** Its closing method calls that of its superclass. */
    static class NamedCursor extends Cursor {

        NamedCursor(boolean fails) {
            if (fails) {
                throw new IllegalStateException("no name");
            }
        }

        @Override
        public void close() {
            super.close();
        }
    }

    /** It stays open at first. */
    static class BusyCursor extends Cursor {

        private int calls;

        @Override
        public void close() {
            super.close();
            if (calls++ == 0) {
                throw new IllegalStateException("still in use");
            }
        }
    }

    /** Code under test. */
    static class Store {

        private final List<Cursor> open = new ArrayList<>();

        void scan() {
            open.add(new Cursor());
        }
    }

    // Leaks

    @TrackAllocations
    @TrackCloseables(Cursor.class)
    static class HeldTestCase {
        private final Store store = new Store();

        @Test
        @MustFail(message = """
                LEAK  2 Cursor, HELD by Store.open; constructed in TrackCloseablesTests.java:NN

                1. 2 Cursor
                   at dev.meshguard.closeables.TrackCloseablesTests$Store.scan(TrackCloseablesTests.java:NN)
                   why   HELD: still referenced by HeldTestCase.store -> Store.open -> ArrayList[0..1] ({handle traced 1 to 2})
                   fix   Close the Cursor before the test ends.
                   seen  constructed in TEST ({allocated 2 to 3})

                sum     3 constructed = 1 closed + 2 leaked
                expect  @ExpectBuffers(atMost = 2, label = "Cursor", origin = "TrackCloseablesTests$Store.scan", because = "…")
                rerun   mvn test -Dtest='TrackCloseablesTests$HeldTestCase#namesTheLineAndTheHolder'""")
        void namesTheLineAndTheHolder() {
            new Cursor().close();
            for (int i = 0; i < 2; i++) {
                store.scan();
            }
        }
    }

    /** The collector frees what it holds, some time after the cursor was dropped. */
    static class CleanedCursor extends Cursor {

        private static final Cleaner CLEANER = Cleaner.create();

        private final Cleaner.Cleanable cleanable = CLEANER.register(this, () -> {});

        @Override
        public void close() {
            cleanable.clean();
        }
    }

    @TrackAllocations(origins = OriginCapture.NONE)
    @TrackCloseables(Cursor.class)
    static class WithoutOriginsTestCase {
        private Cursor kept;

        @Test
        @MustFail(message = """
                LEAK  1 Cursor, HELD by WithoutOriginsTestCase.kept

                1. 1 Cursor
                   at an unknown place (no origin was captured)
                   why   HELD: still referenced by WithoutOriginsTestCase.kept ({handle traced})
                   fix   Close the Cursor before the test ends.
                   seen  constructed in TEST ({allocated 2})

                sum     2 constructed = 1 closed + 1 leaked
                expect  @ExpectBuffers(atMost = 1, label = "Cursor", because = "…")
                rerun   mvn test -Dtest='TrackCloseablesTests$WithoutOriginsTestCase#namesTheHolderOnly'""")
        void namesTheHolderOnly() {
            new Cursor().close();
            kept = new Cursor();
        }
    }

    // One test of each kind

    @TrackAllocations
    @TrackCloseables({Cursor.class, EmptyCursor.class})
    static class CursorsTestCase {

        private Cursor kept;
        private EmptyCursor empty;

        @Test
        void constructsNone() {}

        @Test
        void closesThem() throws InterruptedException {
            new Cursor().close();
            new NamedCursor(false).close();
            Thread thread = new Thread(() -> new Cursor().close());
            thread.start();
            thread.join();
        }

        @Test
        void closesItTwice() {
            Cursor cursor = new Cursor();
            cursor.close();
            cursor.close();
        }

        @Test
        @MustFail(
                text = {
                    "LEAK  1 Cursor, LOST",
                    "no handle to it is reachable any more, and no close of it was reported",
                    "Close the Cursor before the test ends on every path: with try-with-resources"
                })
        void dropsIt() {
            new Cursor();
        }

        @Test
        @MustFail(
                text = {
                    "LEAK  1 CleanedCursor, LOST",
                    "and only the garbage collector frees it, at a moment that nobody"
                })
        void dropsOneThatHasACleaner() {
            new CleanedCursor();
        }

        @Test
        @ExpectBuffers(label = "Cursor", exactly = 1, because = "it lives as long as the process")
        void dropsAnExpectedOne() {
            new Cursor();
        }

        @Test
        void itsConstructorThrows() {
            assertThatThrownBy(() -> new Cursor(true)).hasMessage("no memory");
        }

        @Test
        void theConstructorOfASubclassThrows() {
            assertThatThrownBy(() -> new NamedCursor(true)).hasMessage("no name");
        }

        @Test
        void theConstructorOfASubclassThrowsAfterAClose(AllocationTracker tracker) {
            CountedRequest other = new CountedRequest();
            tracker.allocated(other, HistoryEvent.NO_DEVICE, BufferType.SYSTEM_MEMORY, -1, 0, Ownership.UNKNOWN);
            assertThatThrownBy(() -> new StrictCursor(true)).hasMessage("no name");
            tracker.freed(other, HistoryEvent.NO_DEVICE, BufferType.SYSTEM_MEMORY, -1, Ownership.UNKNOWN);
            assertThat(other.searches).as("searches of the whole history").isZero();
        }

        @Test
        void itsConstructorClosesIt() {
            empty = new EmptyCursor();
        }

        @Test
        @MustFail(text = "LEAK  1 NamedCursor, HELD by CursorsTestCase.kept")
        void keepsOneOfASubclass() {
            kept = new NamedCursor(false);
        }

        @Test
        @MustFail(text = "LEAK  1 Cursor, HELD by CursorsTestCase.kept")
        void keepsOneOfAnAnonymousClass() {
            kept = new Cursor() {};
        }

        @Test
        @MustFail(text = "LEAK  1 Cursor, HELD by CursorsTestCase.kept")
        void aCleanerClosesIt() throws InterruptedException {
            kept = new Cursor();
            for (Cleaner cleaner : List.of(Cleaner.create(), Cleaner.create(Thread::new))) {
                CountDownLatch closed = new CountDownLatch(1);
                cleaner.register(new Object(), () -> {
                    kept.close();
                    closed.countDown();
                });
                do {
                    System.gc();
                } while (!closed.await(10, TimeUnit.MILLISECONDS));
            }
        }

        @Test
        void aThreadWithTheNameOfACollectorClosesIt() throws InterruptedException {
            for (String name : List.of("Cleaner", "Cleaner-0", "Finalizer")) {
                Thread cleaner = new Thread(new Cursor()::close, name);
                cleaner.start();
                cleaner.join();
            }
        }

        @Test
        void itIsReportedTwice() {
            Cursor cursor = new Cursor();
            OpenObjects.OF_JVM.constructed(cursor, Map.of());
            cursor.close();
        }

        @Test
        void closesASpyOfIt() {
            Mockito.spy(new Cursor()).close();
        }

        @Test
        void closesAMock() {
            Mockito.mock(Cursor.class).close();
        }

        @Test
        void closesTheOriginalOfAClone() {
            ClonedCursor original = new ClonedCursor();
            kept = original.clone();
            original.close();
        }

        @Test
        @MustFail(text = "LEAK  1 ClonedCursor, HELD by CursorsTestCase.kept")
        void closesAClone() {
            ClonedCursor original = new ClonedCursor();
            kept = original;
            original.clone().close();
        }
    }

    // Constructors and closing methods

    /** Counts how often its object is compared with another. */
    static class CountedRequest implements MemoryRequest {

        private int searches;

        @Override
        public AllocationDetails details() {
            return AllocationDetails.user();
        }

        @Override
        public Optional<WeakReference<Object>> handle() {
            searches++;
            return Optional.empty();
        }

        @Override
        public Optional<Origin> origin() {
            return Optional.empty();
        }
    }

    /** It closes itself if it has no name, and throws later. */
    static class StrictCursor extends Cursor {

        private static final int CLOSES = 2_000;

        StrictCursor(boolean fails) {
            try {
                new NamedCursor(fails).close();
            } catch (IllegalStateException withoutName) {
                close();
                for (int closes = 0; closes < CLOSES; closes++) {
                    new Cursor().close();
                }
                System.gc();
                throw withoutName;
            }
        }
    }

    @TrackCloseables(Cursor.class)
    static class RetryTestCase {
        private Cursor kept;

        @Test
        @ExpectBuffers(label = "StrictCursor", exactly = 1, because = "it lives as long as the process")
        @MustFail(text = {"LEAK  1 Cursor, LOST", "sum     6003 constructed = 6001 closed + 1 leaked + 1 expected"})
        void anObjectWhoseConstructorThrowsNeverCounts() {
            for (int failures = 0; failures < 3; failures++) {
                assertThatThrownBy(() -> new StrictCursor(true)).hasMessage("no name");
            }
            kept = new StrictCursor(false);
            new Cursor();
        }
    }

    /** Lambdas cannot implement it. */
    interface Session extends AutoCloseable {

        void run();

        @Override
        void close();
    }

    interface RemoteSession extends Session {}

    static class BaseSession implements RemoteSession {

        @Override
        public void run() {}

        @Override
        public void close() {}
    }

    static class FastSession extends BaseSession {}

    /** No lambda can implement it either. */
    sealed interface Latch extends AutoCloseable {

        @Override
        void close();
    }

    record DoorLatch() implements Latch {

        @Override
        public void close() {}
    }

    @TrackCloseables({Session.class, Latch.class})
    static class InterfaceTestCase {
        private AutoCloseable kept;

        @Test
        @MustFail(
                text = {
                    "LEAK  1 FastSession, HELD by InterfaceTestCase.kept; constructed in",
                    "fix   Close the FastSession before the test ends."
                })
        void keepsOne() {
            kept = new FastSession();
        }

        @Test
        @MustFail(text = "LEAK  1 DoorLatch, HELD by InterfaceTestCase.kept; constructed in")
        void keepsOneOfASealedInterface() {
            kept = new DoorLatch();
        }

        @Test
        void closesIt() {
            new FastSession().close();
        }
    }

    @TrackCloseables(Cursor.class)
    static class FailingCloseTestCase {
        private final Cursor kept = new BusyCursor();
        private final Cursor closedAgain = new BusyCursor();

        /** The method of the superclass returned. */
        @Test
        @MustFail(
                text = {
                    "LEAK  1 BusyCursor, HELD by FailingCloseTestCase.kept; constructed in",
                    "with java.lang.IllegalStateException: still in use, at dev.meshguard.closeables.TrackCloseablesTests$FailingCloseTestCase.fails(",
                    "fix   Correct the call that failed: the BusyCursor stays until a close succeeds.",
                    "sum     2 constructed = 1 closed + 1 leaked"
                })
        void anObjectWhoseCloseThrewStaysOpen() {
            assertThat(List.of(kept, closedAgain)).allMatch(FailingCloseTestCase::fails);
            closedAgain.close();
        }

        private static boolean fails(Cursor cursor) {
            try {
                cursor.close();
                return false;
            } catch (IllegalStateException expected) {
                return true;
            }
        }
    }

    /** A class with an own closing method. */
    static class Image {

        Image() {}

        void dispose() {
            close();
        }

        void close() {}
    }

    @TrackCloseables(value = Image.class, closedBy = "dispose")
    static class ClosedByTestCase {
        private Image kept;

        @Test
        void disposes() {
            new Image().dispose();
        }

        @Test
        @MustFail(
                text = {
                    "LEAK  1 Image, HELD by ClosedByTestCase.kept",
                    "fix   Dispose the Image before the test ends.",
                    "sum     1 constructed = 0 disposed + 1 leaked"
                })
        void keeps() {
            kept = new Image();
        }
    }

    /** Its closing method has a name that is no verb. */
    static class Pool {

        private boolean isBusy;

        void shutdown() {
            if (isBusy) {
                throw new IllegalStateException("still in use");
            }
        }
    }

    @TrackCloseables(value = Pool.class, closedBy = "shutdown")
    static class ShutdownTestCase {
        private Pool kept;

        @Test
        @MustFail(message = """
                LEAK  1 Pool, HELD by ShutdownTestCase.kept; constructed in TrackCloseablesTests.java:NN

                1. 1 Pool
                   at dev.meshguard.closeables.TrackCloseablesTests$ShutdownTestCase.keeps(TrackCloseablesTests.java:NN)
                   why   HELD: still referenced by ShutdownTestCase.kept ({handle traced})
                   fix   Call shutdown() of the Pool before the test ends.
                   seen  constructed in TEST ({allocated})

                sum     1 constructed = 0 closed + 1 leaked
                expect  @ExpectBuffers(atMost = 1, label = "Pool", origin = "TrackCloseablesTests$ShutdownTestCase.keeps", because = "…")
                rerun   mvn test -Dtest='TrackCloseablesTests$ShutdownTestCase#keeps'""")
        void keeps() {
            kept = new Pool();
        }

        @Test
        @MustFail(
                text = {
                    "fix   Correct the call that failed: the Pool stays until a shutdown() succeeds.",
                    "with java.lang.IllegalStateException: still in use"
                })
        void fails() {
            kept = new Pool();
            kept.isBusy = true;
            assertThatThrownBy(kept::shutdown).hasMessage("still in use");
        }
    }

    /** A cursor over nothing. */
    static class EmptyCursor implements AutoCloseable {

        EmptyCursor() {
            close();
        }

        @Override
        public final void close() {}
    }

    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class EachNamesItsMethodTestCase {
        private Image kept;

        @Test
        @TrackCloseables(Image.class)
        void aDisposes() {
            kept = new Image();
            kept.dispose();
        }

        @Test
        @TrackCloseables(value = Image.class, closedBy = "dispose")
        @MustFail(text = "LEAK  1 Image, HELD by EachNamesItsMethodTestCase.kept")
        void bCloses() {
            kept = new Image();
            kept.close();
        }

        @Test
        @TrackCloseables(Image.class)
        void cDisposesAgain() {
            kept = new Image();
            kept.dispose();
        }
    }

    /** Its close calls another closing method, and fails afterwards. */
    static class Job {

        void close() {
            release();
            throw new IllegalStateException("not stopped");
        }

        void release() {}
    }

    @TrackAllocations
    static class OuterMethodDecidesTestCase {
        private Job kept;

        private void close() {
            kept = new Job();
            assertThatThrownBy(kept::close).hasMessage("not stopped");
        }

        @Test
        @TrackCloseables(
                value = Job.class,
                closedBy = {"close", "release"})
        @MustFail(
                text = {
                    "LEAK  1 Job, HELD by OuterMethodDecidesTestCase.kept",
                    "with java.lang.IllegalStateException: not stopped"
                })
        void namesBoth() {
            close();
        }

        @Test
        @TrackCloseables(value = Job.class, closedBy = "release")
        void namesTheInnerOne() {
            close();
        }
    }

    /** Its constructor lets another thread close it. */
    static class Published implements AutoCloseable {

        private static final SynchronousQueue<Published> BEGUN = new SynchronousQueue<>();

        Published() throws InterruptedException {
            BEGUN.put(this);
        }

        @Override
        public final void close() {}
    }

    @TrackCloseables(Published.class)
    static class PublishedTestCase {

        private static final int OBJECTS = 1_000;

        @Test
        void isClosedByAnotherThreadBeforeItsConstructorReturns(TestThreads threads)
                throws InterruptedException, ExecutionException {
            FutureTask<Void> closes = new FutureTask<>(() -> {
                for (int i = 0; i < OBJECTS; i++) {
                    Published.BEGUN.take().close();
                }
                return null;
            });
            Thread closing = new Thread(closes);
            threads.bind(closing);
            closing.start();
            for (int i = 0; i < OBJECTS; i++) {
                Published unused = new Published();
            }
            closes.get();
        }
    }

    /** A clone of it may hold something else, as that of a Lucene input does. */
    static class ClonedCursor extends Cursor implements Cloneable {
        @Override
        public ClonedCursor clone() {
            try {
                return (ClonedCursor) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }

    // Classes

    /** Neither public nor extensible. */
    private static final class Hidden implements AutoCloseable {
        @Override
        public void close() {}
    }

    /** Compares equal to others. */
    record Key(String name) implements AutoCloseable {
        @Override
        public void close() {}
    }

    @TrackCloseables(
            value = Key.class,
            names = {
                "dev.meshguard.closeables.TrackCloseablesTests$Hidden",
                "dev.meshguard.closeables.TrackCloseablesTests$Unloaded"
            })
    static class ClassesTestCase {
        private final List<AutoCloseable> kept = new ArrayList<>();

        @Test
        @MustFail(text = {"LEAK  1 Key, HELD by ClassesTestCase.kept", "sum     2 constructed = 1 closed + 1 leaked"})
        void closesOneOfTwoEqualRecords() {
            kept.add(new Key("a"));
            new Key("a").close();
        }

        @Test
        @MustFail(text = "LEAK  1 Hidden, HELD by ClassesTestCase.kept")
        void keepsOneThatIsNotPublic() {
            kept.add(new Hidden());
        }

        @Test
        @MustFail(text = "LEAK  1 Unloaded, HELD by ClassesTestCase.kept")
        void keepsOneThatWasNotLoaded() {
            kept.add(new Unloaded());
        }
    }

    /** No other test loads it. */
    static final class Unloaded implements AutoCloseable {
        @Override
        public void close() {}
    }

    @TrackCloseables({Deflater.class, Inflater.class})
    static class JdkTestCase {
        private final Deflater passed = new Deflater();
        private OutputStream stream;

        @Test
        @MustFail(message = """
                LEAK  1 Deflater, HELD by JdkTestCase.passed; constructed in TrackCloseablesTests.java:NN

                1. 1 Deflater
                   at dev.meshguard.closeables.TrackCloseablesTests$JdkTestCase.<init>(TrackCloseablesTests.java:NN)
                   why   HELD: still referenced by JdkTestCase.passed ({handle traced})
                   fix   End the Deflater before the test ends.
                   seen  constructed in START ({allocated})

                note    a stream does not call end() of a Deflater or Inflater that was passed to it
                sum     1 constructed = 0 ended + 1 leaked
                expect  @ExpectBuffers(atMost = 1, label = "Deflater", origin = "TrackCloseablesTests$JdkTestCase.<init>", because = "…")
                rerun   mvn test -Dtest='TrackCloseablesTests$JdkTestCase#closesAStreamOnly'""")
        void closesAStreamOnly() throws IOException {
            new DeflaterOutputStream(new ByteArrayOutputStream(), passed).close();
        }

        @Test
        @MustFail(
                text = {
                    "LEAK  1 Deflater, HELD; constructed in TrackCloseablesTests.java:NN",
                    "TrackCloseablesTests$JdkTestCase.keepsAStream("
                })
        void keepsAStream() throws IOException {
            passed.end();
            stream = new GZIPOutputStream(new ByteArrayOutputStream());
        }

        @Test
        void closesAll() throws IOException {
            passed.end();
            new GZIPOutputStream(new ByteArrayOutputStream()).close();
        }
    }

    @TrackCloseables({GZIPOutputStream.class, Deflater.class})
    static class PartsTestCase {
        private OutputStream stream;
        private Deflater passed;

        @Test
        @MustFail(message = """
                LEAK  1 GZIPOutputStream and 1 Deflater, HELD; constructed in TrackCloseablesTests.java:NN

                1. 1 GZIPOutputStream, and 1 Deflater with it
                   at dev.meshguard.closeables.TrackCloseablesTests$PartsTestCase.keepsAStream(TrackCloseablesTests.java:NN)
                   why   HELD: still referenced by PartsTestCase.stream ({last handle traced})
                   fix   Close the GZIPOutputStream before the test ends.
                   seen  constructed in TEST ({allocated 2})

                sum     2 constructed = 0 closed + 2 leaked
                expect  @ExpectBuffers(atMost = 1, label = "GZIPOutputStream", origin = "TrackCloseablesTests$PartsTestCase.keepsAStream", because = "…")
                rerun   mvn test -Dtest='TrackCloseablesTests$PartsTestCase#keepsAStream'""")
        void keepsAStream() throws IOException {
            stream = new GZIPOutputStream(new ByteArrayOutputStream());
        }

        @Test
        @MustFail(
                text = {"LEAK  1 Deflater, HELD by PartsTestCase.passed", "sum     1 constructed = 0 ended + 1 leaked"})
        void keepsOneThatWasPassed() throws IOException {
            passed = new Deflater();
            stream = new DeflaterOutputStream(new ByteArrayOutputStream(), passed);
        }
    }

    @TrackCloseables(URLClassLoader.class)
    static class ClassLoaderTestCase {
        private URLClassLoader kept;

        @Test
        @MustFail(text = "LEAK  1 URLClassLoader, HELD by ClassLoaderTestCase.kept; constructed in")
        void keepsOne() {
            kept = new URLClassLoader(new URL[0]);
        }

        @Test
        void closesIt() throws IOException {
            new URLClassLoader(new URL[0]).close();
        }
    }

    @TrackCloseables({Inflater.class, Deflater.class})
    static class CachedByJdkTestCase {
        @Test
        void readsAFileOfAJar() throws IOException {
            String file = ClassFileLocator.class.getName().replace('.', '/') + ".class";
            try (InputStream bytes = ClassFileLocator.class.getClassLoader().getResourceAsStream(file)) {
                assertThat(bytes.readAllBytes()).isNotEmpty();
            }
        }
    }

    @TrackCloseables(ZipFile.class)
    static class ArchiveOfUrlTestCase {
        @Test
        void readsAFileOfAJarByItsUrl(@TempDir Path directory) throws IOException {
            Path jar = directory.resolve("one.jar");
            try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
                zip.putNextEntry(new ZipEntry("entry"));
            }
            try (InputStream bytes = new URL("jar:" + jar.toUri() + "!/entry").openStream()) {
                assertThat(bytes.readAllBytes()).isEmpty();
            }
        }

        @Test
        void searchesTheJarsOfALoader(@TempDir Path directory) throws IOException {
            Path jar = directory.resolve("two.jar");
            try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
                zip.putNextEntry(new ZipEntry("entry"));
            }
            try (URLClassLoader loader =
                    new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
                assertThat(Collections.list(loader.findResources("entry"))).hasSize(1);
            }
        }
    }

    static class Opaque implements AutoCloseable {
        @Override
        public void close() {}
    }

    /** Defined as a hidden class, whose code cannot be changed. */
    static class OpaquePart extends Opaque {
        @Override
        public void close() {}
    }

    interface Lens extends AutoCloseable {

        int focus();
    }

    /** Defined as a hidden class too. No superclass reports its objects. */
    static class OpaqueLens implements Lens {
        @Override
        public int focus() {
            return 0;
        }

        @Override
        public void close() {}
    }

    private static Class<?> hidden(Class<?> type) {
        try {
            byte[] file = ClassFileLocator.ForClassLoader.read(type);
            return MethodHandles.lookup().defineHiddenClass(file, false).lookupClass();
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @TrackCloseables(Opaque.class)
    static class OpaqueTestCase {

        private final Class<?> part = hidden(OpaquePart.class);

        @Test
        void closesAnother() {
            new Opaque().close();
        }

        @Test
        @MustFail(text = {"INCONCLUSIVE  ", "close() of a", "TrackCloseablesTests$OpaquePart", "It is hidden"})
        void closesOne() throws ReflectiveOperationException {
            ((Opaque) part.getDeclaredConstructor().newInstance()).close();
        }
    }

    @TrackCloseables(Lens.class)
    static class LensCase {
        @Test
        void namesTheInterface() {}
    }

    @Test
    void anImplementationThatCannotBeWovenConcernsTestsThatNameItsInterfaceWhileItIsLoaded() {
        List<Class<?>> loaded = new ArrayList<>(List.of(hidden(OpaqueLens.class)));
        Reference<Object> unloaded = new WeakReference<>(loaded.get(0));

        assertThat(failureOf(LensCase.class))
                .startsWith("INCONCLUSIVE  ")
                .containsSubsequence("objects of", "TrackCloseablesTests$OpaqueLens", "Its code cannot be")
                .doesNotContain("Exception"); // All other classes were changed at once.
        RunAssert.assertThat(JupiterRun.run(OtherClassTestCase.class)).hasOnlySucceeded(2);
        loaded.clear();
        assertThat(isCollected(unloaded)).isTrue();
        RunAssert.assertThat(JupiterRun.run(LensCase.class)).hasOnlySucceeded(1);
    }

    @TrackCloseables(Cursor.class)
    static class FailedReportCase {
        private final Cursor cursor = new Cursor();

        @Test
        void closes() {
            OpenObjects.OF_JVM.lost(cursor, new OutOfMemoryError("none left"));
            cursor.close();
        }
    }

    @Test
    void aReportThatFailsConcernsOnlyTheTestsThatRun() {
        assertThat(failureOf(FailedReportCase.class))
                .startsWith("INCONCLUSIVE  ")
                .containsSubsequence(
                        "the report of an object of", "$Cursor", "failed:", OutOfMemoryError.class.getName());
        RunAssert.assertThat(JupiterRun.run(OtherClassTestCase.class)).hasOnlySucceeded(2);
    }

    /** Its class loader may be that of a test. */
    @Test
    void aFailureIsNotKept() {
        Reference<Object> failure = new WeakReference<>(failedReport());

        assertThat(isCollected(failure)).isTrue();
    }

    @TrackAllocations
    @TrackCloseables(Cursor.class)
    static class EndedCase {
        private static Reference<Object> trackerOfTest = new WeakReference<>(null);

        @Test
        void closesOneAndDropsAnother(AllocationTracker tracker) {
            trackerOfTest = new WeakReference<>(tracker);
            new Cursor().close();
            new Cursor();
            System.gc();
        }
    }

    /** No later object may be needed for that. */
    @Test
    void theHistoryOfATestIsNotKept() {
        assertThat(failureOf(EndedCase.class)).startsWith("LEAK  1 Cursor, LOST");
        assertThat(isCollected(EndedCase.trackerOfTest)).isTrue();
    }

    private static String failureOf(Class<?> fixture) {
        return RunAssert.assertThat(JupiterRun.run(fixture))
                .hasSingleTest()
                .whichFailed()
                .text();
    }

    private static boolean isCollected(Reference<?> object) {
        for (int i = 0; i < 100 && !object.refersTo(null); i++) {
            System.gc();
        }
        return object.refersTo(null);
    }

    private static Object failedReport() {
        Exception failure = new IllegalStateException("of a test");
        OpenObjects.OF_JVM.lost("an object", failure);
        assertThat(OpenObjects.OF_JVM.lastLoss())
                .isEqualTo("the report of an object of java.lang.String failed: " + failure);
        return failure;
    }

    /** One of its closing methods cannot be heard. */
    static class Surface {

        void close() {}

        native void dispose();
    }

    @TrackAllocations
    static class NativeCloseTestCase {
        @Test
        @TrackCloseables(value = Surface.class, closedBy = "dispose")
        @MustFail(text = "INCONCLUSIVE  ")
        void namesTheNativeMethod() {
            new Surface();
        }

        @Test
        @TrackCloseables(Surface.class)
        void closes() {
            new Surface().close();
        }

        @Test
        @TrackCloseables(Surface.class)
        @MustFail(text = "LEAK  1 Surface, LOST")
        void drops() {
            new Surface();
        }
    }

    @TrackAllocations
    @TrackCloseables(
            value = {Stream.class, ExecutorService.class, InputStream.class},
            closedBy = "shutdown")
    static class ToolsCase {
        private Stream<String> own;

        static Stream<Arguments> sizes() {
            return Stream.of(Arguments.of(1), Arguments.of(2));
        }

        @BeforeEach
        void setUp(AllocationTracker tracker) {
            tracker.history().live();
        }

        @ParameterizedTest
        @MethodSource("sizes")
        void usesTools(int size, @TempDir Path directory, AllocationTracker tracker) {
            assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {});
            LeakAssertions.assertThat(tracker).noLeaks();
        }

        @TestFactory
        Stream<DynamicTest> dynamicTests() {
            return Stream.of(dynamicTest("one", () -> {}));
        }

        /** Its message is written with streams. */
        @Test
        void leaksItsOwn() {
            own = Stream.of("left open");
        }

        public static void main(String... unused) {
            RunAssert.assertThat(JupiterRun.run(ToolsCase.class)).hasOnlyFailed("leaksItsOwn()");
            System.out.print("as expected");
        }
    }

    @TrackAllocations
    @TrackCloseables(Cursor.class)
    @SuppressWarnings("UnusedVariable") // It holds what leaks.
    static class EachRunCase {
        private static Cursor kept;

        @Test
        void keepsOne() {
            kept = new Cursor();
        }

        public static void main(String... unused) {
            RunAssert.assertThat(JupiterRun.run(EachRunCase.class)).hasOnlyFailed("keepsOne()");
            new Cursor().close();
            RunAssert.assertThat(JupiterRun.run(EachRunCase.class)).hasOnlyFailed("keepsOne()");
            System.out.print("as expected");
        }
    }

    /** In a JVM of its own, because between the runs there is no test. */
    @Test
    void eachRunFindsTheLeaksOfItsTests() throws IOException {
        assertThat(OwnJvm.outputOf(EachRunCase.class)).isEqualTo("as expected");
    }

    /** In a JVM of its own, because each stream is reported afterwards. */
    @Test
    void whatJunitAndTheToolkitConstructIsNoLeak() throws IOException {
        assertThat(OwnJvm.outputOf(ToolsCase.class)).isEqualTo("as expected");
    }

    @TrackCloseables(Scanner.class)
    static class HandedOutTestCase {
        private Scanner kept;

        @ParameterizedTest(autoCloseArguments = false)
        @ValueSource(strings = "text")
        @MustFail(text = "LEAK  1 Scanner")
        void keepsAnArgument(Scanner converted) {
            kept = converted;
        }

        @Test
        @MustFail(text = "LEAK  1 Scanner")
        void keepsWhatWasReflected() {
            kept = ReflectionSupport.newInstance(Scanner.class, "text");
        }
    }

    /** Nobody but its user closes it. */
    @TrackCloseables(ZipFile.class)
    static class UncachedArchiveTestCase {
        private static URLConnection uncached(Path directory) throws IOException {
            Path jar = directory.resolve("one.jar");
            try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
                zip.putNextEntry(new ZipEntry("entry"));
            }
            URLConnection connection = new URL("jar:" + jar.toUri() + "!/entry").openConnection();
            connection.setUseCaches(false);
            return connection;
        }

        @Test
        void closesTheStream(@TempDir Path directory) throws IOException {
            uncached(directory).getInputStream().close();
        }

        @Test
        @MustFail(
                text = {
                    "LEAK  1 URLJarFile, LOST; constructed in TrackCloseablesTests.java:NN",
                    "TrackCloseablesTests$UncachedArchiveTestCase.keepsTheArchive("
                })
        void keepsTheArchive(@TempDir Path directory) throws IOException {
            uncached(directory).connect();
        }
    }

    /** JUnit constructs it. */
    @TrackCloseables(OwnTestCase.class)
    static class OwnTestCase implements AutoCloseable {
        @Test
        @MustFail(text = "LEAK  1 OwnTestCase, ")
        void runs() {}

        @Override
        public void close() {}
    }

    @TrackCloseables(Deflater.class)
    static class CalledByJunitTestCase {
        @Test
        @MustFail(text = "LEAK  1 Deflater, LOST")
        void keeps() {
            assertDoesNotThrow((ThrowingSupplier<Deflater>) Deflater::new);
        }
    }

    @TrackAllocations
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class OtherClassTestCase {
        private AutoCloseable other;

        @Test
        @TrackCloseables(Key.class)
        void aNamesAClass() {
            new Key("a").close();
        }

        @Test
        @TrackCloseables(Cursor.class)
        void bKeepsAnObjectOfAClassThatItDoesNotName() {
            other = new Key("not named here");
        }
    }

    /** A thread may construct an object before another has added its class. */
    @Test
    void anObjectIsTrackedAlthoughOthersOfItsClassCameBeforeTheClassWasNamed() {
        List<WatchedType> types = new ArrayList<>();
        ObjectKinds kinds = ObjectKinds.of(AllocationTracker.create(), types);
        assertThat(kinds.kind(Key.class)).isNull();

        types.add(new WatchedType(Key.class.getName(), Set.of("close")));

        assertThat(kinds.kind(Key.class)).isNotNull();
    }

    /** The tracker of a run lasts longer than the class loaders of its tests. */
    @Test
    void aClassMayBeUnloadedThoughAnObjectOfItWasTracked() throws ReflectiveOperationException {
        ObjectKinds kinds = ObjectKinds.of(
                AllocationTracker.create(), List.of(new WatchedType(AutoCloseable.class.getName(), Set.of("close"))));
        Reference<Object> unloaded = new WeakReference<>(trackedInOwnLoader(kinds));

        assertThat(isCollected(unloaded)).isTrue();
        assertThat(kinds.kind(Key.class)).isNotNull();
    }

    private static ClassLoader trackedInOwnLoader(ObjectKinds kinds) throws ReflectiveOperationException {
        Class<?> type = new ByteBuddy()
                .subclass(Object.class)
                .implement(AutoCloseable.class)
                .make()
                .load(null, ClassLoadingStrategy.Default.WRAPPER)
                .getLoaded();
        assertThat(kinds.kind(type)).isNotNull();
        return type.getClassLoader();
    }

    // Annotations

    @TrackAllocations
    static class OnMethodTestCase {
        private Cursor kept;

        @Test
        @TrackCloseables(Cursor.class)
        @MustFail(text = "LEAK  1 Cursor")
        void tracked() {
            kept = new Cursor();
        }

        @Test
        void untracked() {
            kept = new Cursor();
        }
    }

    @TrackCloseables(Cursor.class)
    abstract static class Base {}

    static class InheritingTestCase extends Base {
        @Test
        @MustFail(text = "LEAK  1 Cursor, LOST")
        void inherits() {
            new Cursor();
        }

        @Test
        @TrackCloseables(Key.class)
        @MustFail(text = {"LEAK  1 Key, LOST", "sum     1 constructed = 0 closed + 1 leaked"})
        void countsItsOwnAnnotationAsAWhole() {
            new Cursor();
            new Key("a");
        }

        @Nested
        class Inner {
            @Test
            @MustFail(text = "LEAK  1 Cursor, LOST")
            void isNested() {
                new Cursor();
            }
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TrackCloseables(Cursor.class)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class EachTestCase {
        private static final List<Cursor> KEPT = new ArrayList<>();

        @Test
        @MustFail(text = "LEAK  1 Cursor")
        void a() {
            KEPT.add(new Cursor());
        }

        @Test
        void b() {
            new Cursor().close();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @TrackCloseables(Cursor.class)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class SharedTestCase {
        private static final List<Cursor> KEPT = new ArrayList<>();

        @Test
        void a() {
            KEPT.add(new Cursor());
        }

        @Test
        void b() {
            KEPT.get(0).close();
        }
    }

    @TrackAllocations
    @TrackCloseables(Cursor.class)
    static class BesideHandlesTestCase {
        private Cursor kept;
        private Object handle;

        @Test
        @MustFail(text = {"LEAK  64 B in 2 allocations, 2 findings; largest 64 B", "native memory  64 B", "1 Cursor"})
        void keepsBoth(NativeHandles handles) {
            kept = new Cursor();
            handle = handles.track(new Object(), unused -> false, 64);
        }
    }

    // Threads

    @TrackCloseables(Cursor.class)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    @MustFail(
            run = true,
            text = {
                "LEAK  1 Cursor, ",
                "allocated by threads that work for no test",
                "note    only an entry in the file of meshguard.expected-buffers expects memory of no test",
                "expect  count atMost 1 label \"Cursor\" origin \"TrackCloseablesTests$ThreadsTestCase.keep\" because",
                "sum     1 constructed = 0 closed + 1 leaked"
            })
    static class ThreadsTestCase {
        private static final ExecutorService POOL = Executors.newSingleThreadExecutor();
        private static final List<Cursor> KEPT = new ArrayList<>();

        @Test
        @MustFail(text = "LEAK  1 Cursor")
        void aStartsTheThread() throws ExecutionException, InterruptedException {
            POOL.submit(ThreadsTestCase::keep).get();
        }

        @Test
        void bUsesThatOfAnEndedTest() throws ExecutionException, InterruptedException {
            POOL.submit(ThreadsTestCase::keep).get();
        }

        @Test
        @MustFail(text = "LEAK  1 Cursor")
        void cBindsIt(TestThreads threads) throws ExecutionException, InterruptedException {
            threads.bind(POOL);
            POOL.submit(ThreadsTestCase::keep).get();
        }

        /** A lambda would show its test. */
        private static void keep() {
            KEPT.add(new Cursor());
        }

        @AfterAll
        static void stop() {
            POOL.shutdown();
        }
    }

    /** No other class names it: nothing has woven it before. */
    static class Index implements AutoCloseable {

        @Override
        public void close() {}
    }

    @TrackCloseables(Index.class)
    @MustFail(
            run = true,
            text = {"LEAK  1 Index, ", "sum     1 constructed = 0 closed + 1 leaked"})
    static class BeforeAllTestCase {
        private static Index kept;

        @BeforeAll
        static void construct() {
            kept = new Index();
        }

        @Test
        void theRunIsResponsibleForWhatTheFirstClassConstructs() {}
    }

    /** No other class names it. */
    static class View implements AutoCloseable {

        @Override
        public void close() {}
    }

    @TrackCloseables(View.class)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @MustFail(
            run = true,
            text = {"LEAK  1 View, ", "sum     1 constructed = 0 closed + 1 leaked"})
    static class OneInstanceTestCase {
        private final View kept = new View();

        @Test
        void theRunIsResponsibleForTheInstanceOfTheFirstClass() {}
    }

    /** The object of a test that is over is no object of the next one. */
    @TrackCloseables(Cursor.class)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class LateTestCase {
        private static final List<Cursor> KEPT = new ArrayList<>();

        @Test
        @MustFail(text = "LEAK  1 Cursor")
        void a() {
            KEPT.add(new Cursor());
        }

        @Test
        void b() {
            KEPT.get(0).close();
        }
    }

    /** Several tests end at a time, each asks for its classes, and none of them may hear that its class is missing. */
    @Test
    void aLoadedClassIsFoundByEachThreadThatAsks() throws Exception {
        JupiterRun.run(LateTestCase.class); // Attaches an agent.
        ExecutorService threads = Executors.newFixedThreadPool(4);
        for (Class<?> type : List.of(BitSet.class, Scanner.class, StringJoiner.class, TimeZone.class, Currency.class)) {
            CyclicBarrier together = new CyclicBarrier(4);
            Callable<Boolean> asking = () -> {
                together.await();
                return OpenObjects.OF_JVM.isLoaded(type.getName());
            };

            for (Future<Boolean> answer : threads.invokeAll(Collections.nCopies(4, asking))) {
                assertThat(answer.get()).as(type.getName()).isTrue();
            }
        }
        threads.shutdown();
    }

    @TrackAllocations
    @TrackCloseables({Cursor.class, Deflater.class})
    static class ConcurrentCase {

        static volatile long seed;

        static Set<Integer> leaking() {
            Random random = new Random(seed);
            return IntStream.generate(() -> random.nextInt(24))
                    .distinct()
                    .limit(2)
                    .boxed()
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        static Stream<Integer> tests() {
            return IntStream.range(0, 12).boxed();
        }

        @ParameterizedTest(name = "{0}")
        @MethodSource("tests")
        void constructs(int test) throws InterruptedException {
            Thread thread = new Thread(() -> new NamedCursor(false).close());
            thread.start();
            for (int i = 0; i < 20; i++) {
                Cursor cursor = new Cursor();
                if (i > 0 || !leaking().contains(test)) {
                    cursor.close();
                }
                new Deflater().end();
            }
            thread.join();
        }
    }

    static class OtherConcurrentCase extends ConcurrentCase {
        static Stream<Integer> tests() {
            return IntStream.range(12, 24).boxed();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void ofConcurrentTestsAndClassesThoseFailThatLeak(long seed) {
        ConcurrentCase.seed = seed;

        RunAssert.assertThat(JupiterRun.runTogether(
                        JupiterRun.CONCURRENTLY, ConcurrentCase.class, OtherConcurrentCase.class))
                .hasOnlyFailed(
                        ConcurrentCase.leaking().stream().map(String::valueOf).toArray(String[]::new));
    }

    static Stream<Long> seeds() {
        long first = Long.getLong("meshguard.seed", SEED);
        return IntStream.range(0, 20).mapToObj(index -> first + index);
    }
}
