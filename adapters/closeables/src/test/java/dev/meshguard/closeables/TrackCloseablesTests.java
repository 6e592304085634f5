package dev.meshguard.closeables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.ExpectBuffers;
import dev.meshguard.junit.TestThreads;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.TrackingLifetime;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
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
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TrackCloseablesTests {

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
        void scans() {
            new Cursor().close();
            for (int i = 0; i < 2; i++) {
                store.scan();
            }
        }
    }

    @Test
    void namesTheLineAndTheHolderOfOpenObjects() {
        assertThat(TrackedRun.of(HeldTestCase.class).failure()).isEqualTo("""
                LEAK  2 Cursor, HELD by Store.open; constructed in TrackCloseablesTests.java:NN

                1. 2 Cursor
                   at dev.meshguard.closeables.TrackCloseablesTests$Store.scan(TrackCloseablesTests.java:NN)
                   why   HELD: still referenced by HeldTestCase.store -> Store.open -> ArrayList[0..1] (events #N to #N)
                   fix   Close the Cursor before the test ends.
                   seen  constructed in TEST (events #N to #N)

                sum     3 constructed = 1 closed + 2 leaked
                expect  @ExpectBuffers(atMost = 2, label = "Cursor", origin = "TrackCloseablesTests$Store.scan", because = "…")
                rerun   mvn test -Dtest='TrackCloseablesTests$HeldTestCase#scans'""");
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
        void keeps() {
            new Cursor().close();
            kept = new Cursor();
        }
    }

    @Test
    void withoutOriginsAFindingHasItsHolderOnly() {
        assertThat(TrackedRun.of(WithoutOriginsTestCase.class).failure())
                .startsWith("LEAK  1 Cursor, HELD by WithoutOriginsTestCase.kept")
                .doesNotContain("TrackCloseablesTests.java")
                .contains("sum     2 constructed = 1 closed + 1 leaked");
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
        void dropsIt() {
            new Cursor();
        }

        @Test
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
        void itsConstructorClosesIt() {
            empty = new EmptyCursor();
        }

        @Test
        void keepsOneOfASubclass() {
            kept = new NamedCursor(false);
        }

        @Test
        void keepsOneOfAnAnonymousClass() {
            kept = new Cursor() {};
        }

        @Test
        void aCleanerClosesIt() throws InterruptedException {
            kept = new Cursor();
            CountDownLatch closed = new CountDownLatch(1);
            Cleaner.create().register(new Object(), () -> {
                kept.close();
                closed.countDown();
            });
            do {
                System.gc();
            } while (!closed.await(10, TimeUnit.MILLISECONDS));
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
            OpenObjects.OF_JVM.constructed(cursor);
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
        void closesAClone() {
            ClonedCursor original = new ClonedCursor();
            kept = original;
            original.clone().close();
        }
    }

    @Test
    void thoseTestsFailThatLeaveACursorOpen() {
        assertThat(TrackedRun.of(CursorsTestCase.class).headlines())
                .containsOnly(
                        entry("dropsIt", "LEAK  1 Cursor, LOST"),
                        entry("dropsOneThatHasACleaner", "LEAK  1 CleanedCursor, LOST"),
                        entry("keepsOneOfASubclass", "LEAK  1 NamedCursor, HELD by CursorsTestCase.kept"),
                        entry("keepsOneOfAnAnonymousClass", "LEAK  1 Cursor, HELD by CursorsTestCase.kept"),
                        entry("aCleanerClosesIt", "LEAK  1 Cursor, HELD by CursorsTestCase.kept"),
                        entry("closesAClone", "LEAK  1 ClonedCursor, HELD by CursorsTestCase.kept"));
    }

    @TrackCloseables(Cursor.class)
    static class LostTestCase {
        @Test
        void drops() {
            new Cursor();
        }
    }

    @Test
    void namesTheWayToCloseADroppedObject() {
        assertThat(TrackedRun.of(LostTestCase.class).failure())
                .contains("no handle to it is reachable any more, and no close of it was reported")
                .contains("Close the Cursor before the test ends on every path: with try-with-resources");
    }

    @TrackCloseables(Cursor.class)
    static class LostWithCleanerTestCase {
        @Test
        void drops() {
            new CleanedCursor();
        }
    }

    @Test
    void onlyTheCollectorFreesADroppedObjectThatHasACleaner() {
        assertThat(TrackedRun.of(LostWithCleanerTestCase.class).failure())
                .contains("and only the garbage collector frees it, at a moment that nobody");
    }

    // Constructors and closing methods

    /** It closes itself if it has no name, and throws. */
    static class StrictCursor extends Cursor {

        StrictCursor(boolean fails) {
            try {
                new NamedCursor(fails).close();
            } catch (IllegalStateException withoutName) {
                close();
                throw withoutName;
            }
        }
    }

    @TrackCloseables(Cursor.class)
    static class RetryTestCase {
        private Cursor kept;

        @Test
        @ExpectBuffers(label = "StrictCursor", exactly = 1, because = "it lives as long as the process")
        void retries() {
            for (int failures = 0; failures < 3; failures++) {
                assertThatThrownBy(() -> new StrictCursor(true)).hasMessage("no name");
            }
            kept = new StrictCursor(false);
            new Cursor();
        }
    }

    @Test
    void anObjectWhoseConstructorThrowsNeverCounts() {
        assertThat(TrackedRun.of(RetryTestCase.class).failure())
                .startsWith("LEAK  1 Cursor, LOST")
                .contains("sum     3 constructed = 1 closed + 1 leaked + 1 expected");
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

    @TrackCloseables(Session.class)
    static class InterfaceTestCase {
        private Session kept;

        @Test
        void keepsOne() {
            kept = new FastSession();
        }

        @Test
        void closesIt() {
            new FastSession().close();
        }
    }

    @Test
    void anInterfaceStandsForItsClasses() {
        assertThat(TrackedRun.of(InterfaceTestCase.class).failure())
                .startsWith("LEAK  1 FastSession, HELD by InterfaceTestCase.kept; constructed in")
                .contains("fix   Close the FastSession before the test ends.");
    }

    @TrackCloseables(Cursor.class)
    static class FailingCloseTestCase {
        private final Cursor kept = new BusyCursor();
        private final Cursor closedAgain = new BusyCursor();

        @Test
        void closes() {
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

    /** The method of the superclass returned. */
    @Test
    void anObjectWhoseCloseThrewStaysOpen() {
        assertThat(TrackedRun.of(FailingCloseTestCase.class).failure())
                .startsWith("LEAK  1 BusyCursor, HELD by FailingCloseTestCase.kept; constructed in")
                .contains(
                        "a call that should close it failed at event #N with java.lang.IllegalStateException: still in use, at")
                .contains("dev.meshguard.closeables.TrackCloseablesTests$FailingCloseTestCase.fails(")
                .contains("fix   Correct the call that failed: the BusyCursor stays until a close succeeds.")
                .contains("sum     2 constructed = 1 closed + 1 leaked");
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
        void onlyCloses() {
            kept = new Image();
        }
    }

    @Test
    void anotherMethodMayCloseAnObject() {
        assertThat(TrackedRun.of(ClosedByTestCase.class).failure())
                .startsWith("LEAK  1 Image, HELD by ClosedByTestCase.kept")
                .contains("fix   Dispose the Image before the test ends.")
                .contains("sum     1 constructed = 0 disposed + 1 leaked");
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
        void keeps() {
            kept = new Pool();
        }

        @Test
        void fails() {
            kept = new Pool();
            kept.isBusy = true;
            assertThatThrownBy(kept::shutdown).hasMessage("still in use");
        }
    }

    @Test
    void namesAClosingMethodThatIsNoVerb() {
        assertThat(TrackedRun.of(ShutdownTestCase.class).failures())
                .hasSize(2)
                .map(TrackedRun::masked)
                .contains("""
                LEAK  1 Pool, HELD by ShutdownTestCase.kept; constructed in TrackCloseablesTests.java:NN

                1. 1 Pool
                   at dev.meshguard.closeables.TrackCloseablesTests$ShutdownTestCase.keeps(TrackCloseablesTests.java:NN)
                   why   HELD: still referenced by ShutdownTestCase.kept (event #N)
                   fix   Call shutdown() of the Pool before the test ends.
                   seen  constructed in TEST (event #N)

                sum     1 constructed = 0 closed + 1 leaked
                expect  @ExpectBuffers(atMost = 1, label = "Pool", origin = "TrackCloseablesTests$ShutdownTestCase.keeps", because = "…")
                rerun   mvn test -Dtest='TrackCloseablesTests$ShutdownTestCase#keeps'""")
                .anySatisfy(
                        message -> assertThat(message)
                                .contains(
                                        "fix   Correct the call that failed: the Pool stays until a shutdown() succeeds.")
                                .contains(
                                        "shutdown() of it failed at event #N with java.lang.IllegalStateException: still in use"));
    }

    /** A cursor over nothing. */
    static class EmptyCursor implements AutoCloseable {

        EmptyCursor() {
            close();
        }

        @Override
        public final void close() {}
    }

    @TrackCloseables(Image.class)
    static class ClosedByCloseTestCase {
        private final Image kept = new Image();

        @Test
        void disposes() {
            kept.dispose();
        }
    }

    @TrackCloseables(value = Image.class, closedBy = "dispose")
    static class ClosedByDisposeTestCase {
        private final Image kept = new Image();

        @Test
        void closes() {
            kept.close();
        }
    }

    @Test
    void eachTestNamesTheMethodsThatClose() {
        TrackedRun run =
                TrackedRun.of(ClosedByCloseTestCase.class, ClosedByDisposeTestCase.class, ClosedByCloseTestCase.class);

        assertThat(run.failedTests()).containsExactly("closes");
        assertThat(run.failure()).startsWith("LEAK  1 Image, HELD by ClosedByDisposeTestCase.kept");
    }

    /** Its close calls another closing method, and fails afterwards. */
    static class Job {

        void close() {
            release();
            throw new IllegalStateException("not stopped");
        }

        void release() {}
    }

    @TrackCloseables(
            value = Job.class,
            closedBy = {"close", "release"})
    static class ClosedByBothTestCase {
        private final Job kept = new Job();

        @Test
        void closes() {
            assertThatThrownBy(kept::close).hasMessage("not stopped");
        }
    }

    @TrackCloseables(value = Job.class, closedBy = "release")
    static class ClosedByReleaseTestCase {
        private final Job kept = new Job();

        @Test
        void releases() {
            assertThatThrownBy(kept::close).hasMessage("not stopped");
        }
    }

    @Test
    void theOuterOneOfTheMethodsThatATestNamesDecides() {
        TrackedRun run = TrackedRun.of(ClosedByBothTestCase.class, ClosedByReleaseTestCase.class);

        assertThat(run.failedTests()).containsExactly("closes");
        assertThat(run.failure())
                .startsWith("LEAK  1 Job, HELD by ClosedByBothTestCase.kept")
                .contains("failed at event #N with java.lang.IllegalStateException: not stopped");
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
        void isClosedByAnotherThread(TestThreads threads) throws InterruptedException, ExecutionException {
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

    @Test
    void anObjectMayBeClosedByAnotherThreadBeforeItsConstructorReturns() {
        assertThat(TrackedRun.of(PublishedTestCase.class).failures()).isEmpty();
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
        void closesOneOfTwoEqualRecords() {
            kept.add(new Key("a"));
            new Key("a").close();
        }

        @Test
        void keepsOneThatIsNotPublic() {
            kept.add(new Hidden());
        }

        @Test
        void keepsOneThatWasNotLoaded() {
            kept.add(new Unloaded());
        }
    }

    /** No other test loads it. */
    static final class Unloaded implements AutoCloseable {
        @Override
        public void close() {}
    }

    @Test
    void findsRecordsAndClassesThatAreFinalOrNotPublicOrNotLoaded() {
        assertThat(TrackedRun.of(ClassesTestCase.class).failures())
                .hasSize(3)
                .anySatisfy(message -> assertThat(message)
                        .startsWith("LEAK  1 Key, HELD by ClassesTestCase.kept")
                        .contains("sum     2 constructed = 1 closed + 1 leaked"))
                .anySatisfy(message -> assertThat(message).startsWith("LEAK  1 Hidden, HELD by ClassesTestCase.kept"))
                .anySatisfy(
                        message -> assertThat(message).startsWith("LEAK  1 Unloaded, HELD by ClassesTestCase.kept"));
    }

    @TrackCloseables({Deflater.class, Inflater.class})
    static class JdkTestCase {
        private final Deflater passed = new Deflater();
        private OutputStream stream;

        @Test
        void closesAStreamOnly() throws IOException {
            new DeflaterOutputStream(new ByteArrayOutputStream(), passed).close();
        }

        @Test
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

    @Test
    void endsDeflatersThatNoStreamEnds() {
        assertThat(TrackedRun.of(JdkTestCase.class).failures())
                .hasSize(2)
                .anySatisfy(message -> assertThat(TrackedRun.masked(message)).isEqualTo("""
                LEAK  1 Deflater, HELD by JdkTestCase.passed; constructed in TrackCloseablesTests.java:NN

                1. 1 Deflater
                   at dev.meshguard.closeables.TrackCloseablesTests$JdkTestCase.<init>(TrackCloseablesTests.java:NN)
                   why   HELD: still referenced by JdkTestCase.passed (event #N)
                   fix   End the Deflater before the test ends.
                   seen  constructed in START (event #N)

                note    a stream does not call end() of a Deflater or Inflater that was passed to it
                sum     1 constructed = 0 ended + 1 leaked
                expect  @ExpectBuffers(atMost = 1, label = "Deflater", origin = "TrackCloseablesTests$JdkTestCase.<init>", because = "…")
                rerun   mvn test -Dtest='TrackCloseablesTests$JdkTestCase#closesAStreamOnly'"""))
                .anySatisfy(message -> assertThat(message)
                        .startsWith("LEAK  1 Deflater, HELD; constructed in TrackCloseablesTests.java:")
                        .contains("TrackCloseablesTests$JdkTestCase.keepsAStream("));
    }

    @TrackCloseables({GZIPOutputStream.class, Deflater.class})
    static class PartsTestCase {
        private OutputStream stream;
        private Deflater passed;

        @Test
        void keepsAStream() throws IOException {
            stream = new GZIPOutputStream(new ByteArrayOutputStream());
        }

        @Test
        void keepsOneThatWasPassed() throws IOException {
            passed = new Deflater();
            stream = new DeflaterOutputStream(new ByteArrayOutputStream(), passed);
        }
    }

    @Test
    void aPartIsReportedWithTheObjectThatConstructedIt() {
        assertThat(TrackedRun.of(PartsTestCase.class).failures())
                .hasSize(2)
                .anySatisfy(message -> assertThat(TrackedRun.masked(message)).isEqualTo("""
                LEAK  1 GZIPOutputStream and 1 Deflater, HELD; constructed in TrackCloseablesTests.java:NN

                1. 1 GZIPOutputStream, and 1 Deflater with it
                   at dev.meshguard.closeables.TrackCloseablesTests$PartsTestCase.keepsAStream(TrackCloseablesTests.java:NN)
                   why   HELD: still referenced by PartsTestCase.stream (event #N)
                   fix   Close the GZIPOutputStream before the test ends.
                   seen  constructed in TEST (event #N)

                sum     2 constructed = 0 closed + 2 leaked
                expect  @ExpectBuffers(atMost = 1, label = "GZIPOutputStream", origin = "TrackCloseablesTests$PartsTestCase.keepsAStream", because = "…")
                rerun   mvn test -Dtest='TrackCloseablesTests$PartsTestCase#keepsAStream'"""))
                .anySatisfy(message -> assertThat(message)
                        .startsWith("LEAK  1 Deflater, HELD by PartsTestCase.passed")
                        .contains("sum     1 constructed = 0 ended + 1 leaked"));
    }

    @TrackCloseables(URLClassLoader.class)
    static class ClassLoaderTestCase {
        private URLClassLoader kept;

        @Test
        void keepsOne() {
            kept = new URLClassLoader(new URL[0]);
        }

        @Test
        void closesIt() throws IOException {
            new URLClassLoader(new URL[0]).close();
        }
    }

    @Test
    void aClassLoaderIsNotKeptByTheJdk() {
        assertThat(TrackedRun.of(ClassLoaderTestCase.class).failure())
                .startsWith("LEAK  1 URLClassLoader, HELD by ClassLoaderTestCase.kept; constructed in");
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

    @Test
    void whatTheJdkKeepsForLaterIsNoLeak() {
        assertThat(TrackedRun.of(CachedByJdkTestCase.class).failures()).isEmpty();
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

    @Test
    void anArchiveThatTheJdkKeepsForUrlsIsNoLeak() {
        assertThat(TrackedRun.of(ArchiveOfUrlTestCase.class).failures()).isEmpty();
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
        void closesOne() throws ReflectiveOperationException {
            ((Opaque) part.getDeclaredConstructor().newInstance()).close();
        }
    }

    @Test
    void aClassThatCannotBeWovenConcernsTestsThatConstructAnObjectOfIt() {
        TrackedRun run = TrackedRun.of(OpaqueTestCase.class);

        assertThat(run.failedTests()).containsExactly("closesOne");
        assertThat(run.failure())
                .startsWith("INCONCLUSIVE  ")
                .containsSubsequence("close() of a", "TrackCloseablesTests$OpaquePart", "It is hidden");
    }

    @TrackCloseables(Lens.class)
    static class LensTestCase {
        @Test
        void namesTheInterface() {}
    }

    @Test
    void anImplementationThatCannotBeWovenConcernsTestsThatNameItsInterfaceWhileItIsLoaded() {
        List<Class<?>> loaded = new ArrayList<>(List.of(hidden(OpaqueLens.class)));
        Reference<Object> unloaded = new WeakReference<>(loaded.get(0));

        assertThat(TrackedRun.of(LensTestCase.class).failure())
                .startsWith("INCONCLUSIVE  ")
                .containsSubsequence("objects of", "TrackCloseablesTests$OpaqueLens", "Its code cannot be")
                .doesNotContain("Exception"); // All other classes were changed at once.
        assertThat(TrackedRun.of(OtherClassTestCase.class).failures()).isEmpty();
        loaded.clear();
        assertThat(isCollected(unloaded)).isTrue();
        assertThat(TrackedRun.of(LensTestCase.class).failures()).isEmpty();
    }

    @TrackCloseables(Cursor.class)
    static class FailedReportTestCase {
        private final Cursor cursor = new Cursor();

        @Test
        void closes() {
            OpenObjects.OF_JVM.lost(cursor, new OutOfMemoryError("none left"));
            cursor.close();
        }
    }

    @Test
    void aReportThatFailsConcernsOnlyTheTestsThatRun() {
        assertThat(TrackedRun.of(FailedReportTestCase.class).failure())
                .startsWith("INCONCLUSIVE  ")
                .containsSubsequence(
                        "the report of an object of", "$Cursor", "failed:", OutOfMemoryError.class.getName());
        assertThat(TrackedRun.of(OtherClassTestCase.class).failures()).isEmpty();
    }

    /** Its class loader may be that of a test. */
    @Test
    void aFailureIsNotKept() {
        Reference<Object> failure = new WeakReference<>(failedReport());

        assertThat(isCollected(failure)).isTrue();
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

    @TrackCloseables(value = Surface.class, closedBy = "dispose")
    static class NativeCloseTestCase {
        @Test
        void constructs() {
            new Surface();
        }
    }

    @TrackCloseables(Surface.class)
    static class BesideNativeCloseTestCase {
        @Test
        void closes() {
            new Surface().close();
        }

        @Test
        void drops() {
            new Surface();
        }
    }

    @Test
    void aCloseThatCannotBeReportedConcernsOnlyTestsThatNameItsMethod() {
        assertThat(TrackedRun.of(NativeCloseTestCase.class, BesideNativeCloseTestCase.class)
                        .headlines())
                .containsOnlyKeys("constructs", "drops")
                .containsEntry("drops", "LEAK  1 Surface, LOST")
                .hasEntrySatisfying(
                        "constructs", headline -> assertThat(headline).startsWith("INCONCLUSIVE  "));
    }

    @TrackAllocations
    @TrackCloseables(
            value = {Stream.class, ExecutorService.class},
            closedBy = "shutdown")
    static class ToolsTestCase {

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
    }

    /** It runs last, because each stream of this JVM is reported afterwards. */
    @Test
    @Order(Integer.MAX_VALUE)
    void whatJunitAndTheToolkitConstructIsNoLeak() {
        assertThat(TrackedRun.of(ToolsTestCase.class).failures()).isEmpty();
    }

    @TrackCloseables(Scanner.class)
    static class HandedOutTestCase {
        private Scanner kept;

        @ParameterizedTest(autoCloseArguments = false)
        @ValueSource(strings = "text")
        void keepsAnArgument(Scanner converted) {
            kept = converted;
        }

        @Test
        void keepsWhatWasReflected() {
            kept = ReflectionSupport.newInstance(Scanner.class, "text");
        }
    }

    @Test
    void whatJunitConstructsForATestIsTracked() {
        assertThat(TrackedRun.of(HandedOutTestCase.class).failures())
                .hasSize(2)
                .allSatisfy(message -> assertThat(message).contains("LEAK  1 Scanner"));
    }

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
        void keepsTheArchive(@TempDir Path directory) throws IOException {
            uncached(directory).connect();
        }
    }

    /** Nobody but its user closes it. */
    @Test
    void anArchiveOfAUrlThatTheJdkDoesNotKeepIsALeak() {
        TrackedRun run = TrackedRun.of(UncachedArchiveTestCase.class);

        assertThat(run.failedTests()).containsExactly("keepsTheArchive(Path)");
        assertThat(run.failure())
                .startsWith("LEAK  1 URLJarFile, LOST; constructed in TrackCloseablesTests.java:NN")
                .contains("TrackCloseablesTests$UncachedArchiveTestCase.keepsTheArchive(");
    }

    /** JUnit constructs it. */
    @TrackCloseables(OwnTestCase.class)
    static class OwnTestCase implements AutoCloseable {
        @Test
        void runs() {}

        @Override
        public void close() {}
    }

    @Test
    void anObjectOfTheTestThatJunitConstructsIsTracked() {
        assertThat(TrackedRun.of(OwnTestCase.class).failure()).startsWith("LEAK  1 OwnTestCase, ");
    }

    @TrackCloseables(Deflater.class)
    static class CalledByJunitTestCase {
        @Test
        void keeps() {
            assertDoesNotThrow((ThrowingSupplier<Deflater>) Deflater::new);
        }
    }

    @Test
    void anObjectThatJunitConstructsForATestIsTracked() {
        assertThat(TrackedRun.of(CalledByJunitTestCase.class).failure()).startsWith("LEAK  1 Deflater, LOST");
    }

    @TrackCloseables(Cursor.class)
    static class OtherClassTestCase {
        private final AutoCloseable other = new Key("not named here");

        @Test
        void keeps() {}
    }

    @Test
    void objectsOfOtherClassesAreNotTracked() {
        TrackedRun.of(ClassesTestCase.class);

        assertThat(TrackedRun.of(OtherClassTestCase.class).failures()).isEmpty();
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
        void inherits() {
            new Cursor();
        }

        @Test
        @TrackCloseables(Key.class)
        void hasItsOwn() {
            new Cursor();
            new Key("a");
        }

        @Nested
        class Inner {
            @Test
            void isNested() {
                new Cursor();
            }
        }
    }

    @Test
    void theNearestAnnotationCountsAsAWhole() {
        assertThat(TrackedRun.of(OnMethodTestCase.class).failedTests()).containsExactly("tracked");
        assertThat(TrackedRun.of(InheritingTestCase.class).failures())
                .hasSize(3)
                .anySatisfy(message -> assertThat(message)
                        .startsWith("LEAK  1 Key, LOST")
                        .contains("sum     1 constructed = 0 closed + 1 leaked"));
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TrackCloseables(Cursor.class)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class EachTestCase {
        private static final List<Cursor> KEPT = new ArrayList<>();

        @Test
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

    @Test
    void testsMayShareTheirObjects() {
        assertThat(TrackedRun.of(EachTestCase.class).failedTests()).containsExactly("a");
        assertThat(TrackedRun.of(SharedTestCase.class).failures()).isEmpty();
    }

    @TrackAllocations
    @TrackCloseables(Cursor.class)
    static class BesideHandlesTestCase {
        private Cursor kept;
        private Object handle;

        @Test
        void keepsBoth(NativeHandles handles) {
            kept = new Cursor();
            handle = handles.track(new Object(), unused -> false, 64);
        }
    }

    @Test
    void otherSourcesAreExaminedToo() {
        assertThat(TrackedRun.of(BesideHandlesTestCase.class).failure())
                .startsWith("LEAK  64 B in 2 allocations, 2 findings; largest 64 B")
                .contains("native memory  64 B")
                .contains("1 Cursor");
    }

    // Threads

    @TrackCloseables(Cursor.class)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class ThreadsTestCase {
        private static final ExecutorService POOL = Executors.newSingleThreadExecutor();
        private static final List<Cursor> KEPT = new ArrayList<>();

        @Test
        void aStartsTheThread() throws ExecutionException, InterruptedException {
            POOL.submit(ThreadsTestCase::keep).get();
        }

        @Test
        void bUsesThatOfAnEndedTest() throws ExecutionException, InterruptedException {
            POOL.submit(ThreadsTestCase::keep).get();
        }

        @Test
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

    @Test
    void anObjectBelongsToTheTestOfItsThreadOrToNobody() {
        TrackedRun run = TrackedRun.of(ThreadsTestCase.class);

        assertThat(run.failedTests()).containsExactly("aStartsTheThread", "cBindsIt(TestThreads)");
        assertThat(run.failures())
                .hasSize(3)
                .anySatisfy(message -> assertThat(message)
                        .contains("LEAK  1 Cursor, ", "allocated by threads that work for no test")
                        .contains("sum     1 constructed = 0 closed + 1 leaked"));
    }

    @TrackCloseables(Cursor.class)
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class LateTestCase {
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

    /** The object of a test that is over is no object of the next one. */
    @Test
    void aCloseAfterTheTestIsTooLateAndNoErrorOfTheNextTest() {
        assertThat(TrackedRun.of(LateTestCase.class).failedTests()).containsExactly("a");
    }

    /** Several tests end at a time, each asks for its classes, and none of them may hear that its class is missing. */
    @Test
    void aLoadedClassIsFoundByEachThreadThatAsks() throws Exception {
        TrackedRun.of(LateTestCase.class); // Attaches an agent.
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
    static class ConcurrentTestCase {

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

        @ParameterizedTest
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

    static class OtherConcurrentTestCase extends ConcurrentTestCase {
        static Stream<Integer> tests() {
            return IntStream.range(12, 24).boxed();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void ofConcurrentTestsAndClassesThoseFailThatLeak(long seed) {
        ConcurrentTestCase.seed = seed;

        Set<Integer> blamed =
                TrackedRun.concurrently(ConcurrentTestCase.class, OtherConcurrentTestCase.class).failedTests().stream()
                        .map(name -> Integer.parseInt(name.replaceAll(".*?(\\d+)$", "$1")))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(blamed).isEqualTo(ConcurrentTestCase.leaking());
    }

    static Stream<Long> seeds() {
        long first = Long.getLong("meshguard.seed", SEED);
        return IntStream.range(0, 20).mapToObj(index -> first + index);
    }
}
