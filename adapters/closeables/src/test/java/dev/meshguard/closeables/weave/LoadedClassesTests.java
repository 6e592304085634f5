package dev.meshguard.closeables.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.entry;

import dev.meshguard.weave.WatchedType;
import dev.meshguard.weave.Weaver;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.ClassFileVersion;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.StubMethod;
import net.bytebuddy.matcher.ElementMatchers;
import org.assertj.core.api.ThrowingConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Classes are woven in each class loader, before or after they are loaded. */
class LoadedClassesTests {

    private static final String LOADED = LoadedClassesTests.class.getPackageName() + ".loaded.";
    private static final List<String> LATE_HANDLE =
            List.of("constructed LateHandle", "not closed LateHandle: late", "caught IllegalStateException");

    private static RecordingWatcher watching(String simpleName) {
        return RecordingWatcher.another(LOADED + simpleName);
    }

    @Test
    void aClassThatIsLoadedLaterReports() {
        RecordingWatcher watcher = watching("PluginHandle");

        assertThat(watcher.reportsOf(() -> new PluginLoader().run())).containsExactlyElementsOf(LATE_HANDLE);
    }

    @Test
    void aClassThatWasLoadedEarlierReportsInEachLoader() throws ReflectiveOperationException {
        PluginLoader one = new PluginLoader();
        PluginLoader other = new PluginLoader();
        one.construct("LateHandle");
        other.construct("LateHandle");

        RecordingWatcher watcher = watching("PluginHandle");

        assertThat(watcher.reportsOf(one::run)).containsExactlyElementsOf(LATE_HANDLE);
        assertThat(watcher.reportsOf(other::run)).hasSize(6);
    }

    /** As the realms of one id are. */
    private static final class EqualLoader extends PluginLoader {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof EqualLoader;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @Test
    void classesOfLoadersThatSayTheyAreEqualReport() throws ReflectiveOperationException {
        List<PluginLoader> loaders = List.of(new EqualLoader(), new EqualLoader());
        for (PluginLoader loader : loaders) {
            loader.construct("LateHandle");
        }

        RecordingWatcher watcher = watching("PluginHandle");

        assertThat(watcher.reportsOf(loaders.get(0)::run)).hasSize(3);
        assertThat(watcher.reportsOf(loaders.get(1)::run)).hasSize(6);
    }

    /** The superclass is in no list of loaded classes when the subclass is woven. */
    @Test
    void aSubclassOfAWatchedClassThatOnlyItsLoaderKnows() {
        RecordingWatcher watcher = watching("BasicHandle");

        assertThat(watcher.reportsOf(() -> new PluginLoader().run())).containsExactlyElementsOf(LATE_HANDLE);
    }

    @Test
    void closingMethodsOfASuperclassThatWasLoadedEarlierReport() throws ReflectiveOperationException {
        PluginLoader loader = new PluginLoader();
        AutoCloseable[] handle = new AutoCloseable[1];
        loader.construct("BasicHandle");
        RecordingWatcher watcher = watching("PluginHandle");

        assertThat(watcher.reportsOf(() -> {
                    handle[0] = (AutoCloseable) loader.construct("PluginHandle");
                    handle[0].close();
                }))
                .containsExactly("constructed PluginHandle", "closed PluginHandle");
    }

    @Test
    void aNameThatNoLoaderKnowsIsRemembered() {
        RecordingWatcher watcher = watching("Missing");

        assertThat(watcher.reportsOf(() -> {})).isEmpty();
        assertThat(Weaver.isLoaded(LOADED + "Missing")).isFalse();
        assertThat(Weaver.isLoaded(LoadedClassesTests.class.getName())).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            java.util.Formattable  | It is an interface with one method, and objects of lambda expressions cannot be seen. Name the classes that implement it.
            java.util.BitSet        | It has no method [close] with code and without parameters. Name the method that closes it.
            java.text.BreakIterator | It has no method [close] without parameters. Name the method that closes it.
            """)
    void aLoadedClassWhoseObjectsCannotBeSeenIsNamed(Class<?> type, String reason) {
        assertThat(RecordingWatcher.watching(type).unseen()).containsEntry(type.getName(), reason);
    }

    /** No woven code runs. */
    @ParameterizedTest
    @CsvSource({"EndlessHandle, It has no method [close] with code", "Closer, It is an interface with one method"})
    void aClassWhoseObjectsCannotBeSeenIsNamedWhenItIsLoaded(String simpleName, String reason) throws Exception {
        RecordingWatcher watcher = watching(simpleName);
        assertThat(watcher.unseen()).isEmpty();

        new PluginLoader().loadClass(LOADED + simpleName);

        assertThat(watcher.unseen()).containsOnlyKeys(LOADED + simpleName);
        assertThat(watcher.unseen().get(LOADED + simpleName)).startsWith(reason);
    }

    @Test
    void aTypeWithoutAMethodIsRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new WatchedType("dev.example.Store", Set.of()))
                .withMessage(
                        "Cannot watch \"dev.example.Store\" with the closing methods []: name a class and a method.");
    }

    /** Defines a class with a method {@code close} in a loader of its own. */
    private static Class<?> define(String name, Class<?> type, ClassFileVersion version) {
        return new ByteBuddy(version)
                .subclass(Object.class)
                .name(name)
                .implement(type)
                .method(ElementMatchers.isAbstract())
                .intercept(StubMethod.INSTANCE)
                .make()
                .load(LoadedClassesTests.class.getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
                .getLoaded();
    }

    private static AutoCloseable handleOf(Class<?> type) throws ReflectiveOperationException {
        return (AutoCloseable) type.getConstructor().newInstance();
    }

    public interface Version extends AutoCloseable {

        int version();
    }

    /** As two versions of a library in one program. */
    @Test
    void eachLoaderHasItsOwnClassOfAName() throws Exception {
        List<AutoCloseable> handles = new ArrayList<>();
        for (Class<?> type : List.of(Version.class, AutoCloseable.class, Version.class)) {
            handles.add(handleOf(define("dev.example.Loaded", type, ClassFileVersion.JAVA_V17)));
        }
        RecordingWatcher watcher = RecordingWatcher.another(Version.class.getName());

        assertThat(watcher.reportsOf(() -> {
                    for (AutoCloseable handle : handles) {
                        handleOf(handle.getClass());
                    }
                    for (Class<?> type : List.of(AutoCloseable.class, Version.class)) {
                        handleOf(define("dev.example.Loading", type, ClassFileVersion.JAVA_V17));
                    }
                }))
                .containsExactly("constructed Loaded", "constructed Loaded", "constructed Loading");
    }

    @Test
    void aClassFileOfJava5Reports() {
        RecordingWatcher watcher = RecordingWatcher.watching(Set.of("close"), "dev.example.OldHandle");

        assertThat(watcher.reportsOf(
                        () -> handleOf(define("dev.example.OldHandle", AutoCloseable.class, ClassFileVersion.JAVA_V5))
                                .close()))
                .containsExactly("constructed OldHandle", "closed OldHandle");
    }

    static List<Error> failuresOfTransformers() {
        return List.of(new StackOverflowError("no stack"), new OutOfMemoryError("no memory"));
    }

    @ParameterizedTest
    @MethodSource("failuresOfTransformers")
    void aLoadedClassWhoseTransformationWasCutIsWovenNextTime(Error failure) throws Exception {
        WatchedType type =
                new WatchedType("dev.example.Cut" + failure.getClass().getSimpleName(), Set.of("close"));
        Class<?> cut = define(type.className(), AutoCloseable.class, ClassFileVersion.JAVA_V17);
        RecordingWatcher watcher = RecordingWatcher.another();

        watcher.failInTransformer(failure);
        assertThatIllegalStateException()
                .isThrownBy(() -> Weaver.watch(List.of(type), watcher))
                .withMessage("Too little stack or memory is left to add code to classes");
        watcher.failInTransformer(null);
        Weaver.watch(List.of(type), watcher);

        assertThat(watcher.reportsOf(() -> handleOf(cut).close()))
                .containsExactly("constructed " + cut.getSimpleName(), "closed " + cut.getSimpleName());
        assertThat(watcher.unseen()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("failuresOfTransformers")
    void aClassThatLostItsCallsWhenAnotherAgentChangedItIsWovenNextTime(Error failure) throws Exception {
        String name = "dev.example.Changed" + failure.getClass().getSimpleName();
        Class<?> changed = define(name, AutoCloseable.class, ClassFileVersion.JAVA_V17);
        RecordingWatcher watcher = RecordingWatcher.another(name);

        watcher.failInTransformer(failure);
        ByteBuddyAgent.getInstrumentation().retransformClasses(changed);
        watcher.failInTransformer(null);

        assertThat(watcher.unseen()).isEmpty();
        assertThat(watcher.reportsOf(() -> handleOf(changed).close()))
                .containsExactly("constructed " + changed.getSimpleName(), "closed " + changed.getSimpleName());
    }

    @Test
    void aClassThatTheTransformerMayNeedIsNamed() {
        String name = "dev.meshguard.weave.TestHandle";
        define(name, AutoCloseable.class, ClassFileVersion.JAVA_V17);

        assertThat(RecordingWatcher.another(name).unseen())
                .containsExactly(entry(name, "Its code cannot be changed, because it changes the code of others"));
    }

    /** No call of woven code helps. */
    @Test
    void aClassThatWasBeingDefinedWhileItsTypeWasAddedReportsFromTheNextWatchOn() throws Exception {
        WatchedType type = new WatchedType("dev.example.RacedHandle", Set.of("close"));
        RecordingWatcher watcher = RecordingWatcher.watching(); // Attaches the agent.
        OtherAgent duringDefinition = (name, loaded) -> {
            if ("dev/example/RacedHandle".equals(name) && loaded == null) {
                CompletableFuture.runAsync(() -> Weaver.watch(List.of(type), watcher))
                        .join();
            }
        };
        Instrumentation agent = ByteBuddyAgent.getInstrumentation();
        agent.addTransformer(duringDefinition, true);
        AutoCloseable handle = handleOf(define(type.className(), AutoCloseable.class, ClassFileVersion.JAVA_V17));
        agent.removeTransformer(duringDefinition);

        Weaver.watch(List.of(type), watcher);
        handle.close();

        assertThat(watcher.reportsOf(() -> {})).containsExactly("closed RacedHandle");
    }

    public interface Connection {

        void close();

        int id();
    }

    /** Defines a class whose closing method comes from one that was loaded before it, when nothing watched inherited from that. */
    private static Class<?> connectionClass(String name, Class<?> base) {
        return new ByteBuddy()
                .subclass(base)
                .name("dev.example." + name)
                .implement(Connection.class)
                .method(ElementMatchers.isAbstract())
                .intercept(StubMethod.INSTANCE)
                .make()
                .load(base.getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
                .getLoaded();
    }

    public interface Pool extends Connection {}

    public interface SharedPool extends Pool {}

    /** Finds classes in another loader, and the file of {@link SharedPool} at most, as loaders of module layers and of bundles do. */
    private static final class SiblingLoader extends ClassLoader {

        private final boolean findsFile;

        SiblingLoader(boolean findsFile) {
            super(null);
            this.findsFile = findsFile;
        }

        Class<?> define(String name, Class<?> type) {
            return define(name, Object.class, type);
        }

        /** Defines a class that implements an interface of the other loader. */
        Class<?> define(String name, Class<?> base, Class<?> type) {
            byte[] file = new ByteBuddy()
                    .subclass(base)
                    .name("dev.example." + name)
                    .implement(type)
                    .method(ElementMatchers.isAbstract())
                    .intercept(StubMethod.INSTANCE)
                    .make()
                    .getBytes();
            return defineClass("dev.example." + name, file, 0, file.length);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            return LoadedClassesTests.class.getClassLoader().loadClass(name);
        }

        @Override
        public @Nullable InputStream getResourceAsStream(String name) {
            return findsFile && name.endsWith("$SharedPool.class")
                    ? LoadedClassesTests.class.getClassLoader().getResourceAsStream(name)
                    : super.getResourceAsStream(name);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theFirstObjectIsReportedThoughTheLoaderFindsNoFilesOfItsSupertypes(boolean findsFile) {
        RecordingWatcher watcher = RecordingWatcher.watching(Connection.class);
        Class<?> type = new SiblingLoader(findsFile).define("Sibling", SharedPool.class);

        assertThat(watcher.reportsOf(() -> connectAndClose(type)))
                .containsExactly("constructed Sibling", "closed Sibling");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClassIsWovenLaterThoughTheLoaderFindsNoFilesOfItsSupertypes(boolean findsFile) {
        RecordingWatcher.watching(); // Attaches the agent.
        Class<?> type = new SiblingLoader(findsFile).define("EarlySibling", SharedPool.class);
        connectAndClose(type);

        RecordingWatcher watcher = RecordingWatcher.another(Connection.class.getName());

        assertThat(watcher.reportsOf(() -> connectAndClose(type)))
                .containsExactly("constructed EarlySibling", "closed EarlySibling");
    }

    @Test
    void anObjectWithSupertypesThatWereUnknownIsNotReportedIfTheyAreNotWatched() {
        RecordingWatcher watcher = RecordingWatcher.watching(Connection.class);
        Class<?> type = new SiblingLoader(false).define("OtherSibling", Version.class);

        assertThat(watcher.reportsOf(() -> handleOf(type).close())).isEmpty();
    }

    @Test
    void anObjectIsReportedOnceThoughSupertypesOfItsSuperclassWereUnknown() {
        RecordingWatcher watcher = RecordingWatcher.watching(Connection.class);
        SiblingLoader loader = new SiblingLoader(false);
        Class<?> type = loader.define("Subclass", loader.define("Superclass", Version.class), Connection.class);

        assertThat(watcher.reportsOf(() -> connectAndClose(type)))
                .containsExactly("constructed Subclass", "closed Subclass");
    }

    private static void connectAndClose(Class<?> type) {
        try {
            ((Connection) type.getConstructor().newInstance()).close();
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static Class<?> newBase(String name) throws ReflectiveOperationException {
        Class<?> base = define("dev.example." + name, AutoCloseable.class, ClassFileVersion.JAVA_V17);
        handleOf(base);
        return base;
    }

    static class Woven implements AutoCloseable {

        @Override
        public void close() {}
    }

    /** Runs code on another thread while the weaver weaves, until it has to wait. */
    private static Thread whileWeaving(Runnable code, ThrowingConsumer<Thread> whenWaiting) {
        Thread waiting = new Thread(code);
        Class<?> woven = Woven.class; // Loads it.
        OtherAgent starting = (name, loaded) -> {
            if (woven.equals(loaded)) {
                waiting.start();
                while (waiting.getState() != Thread.State.TIMED_WAITING && waiting.isAlive()) {
                    Thread.onSpinWait();
                }
                whenWaiting.accept(waiting);
            }
        };
        Instrumentation agent = ByteBuddyAgent.getInstrumentation();
        agent.addTransformer(starting, true);
        RecordingWatcher.another(woven.getName());
        agent.removeTransformer(starting);
        return waiting;
    }

    @Test
    void aCloseIsReportedThoughAnotherThreadWeavesWhenTheObjectIsConstructed() throws Exception {
        RecordingWatcher watcher = RecordingWatcher.watching(Connection.class);
        Class<?> awaiting = connectionClass("Awaiting", newBase("AwaitedBase"));

        whileWeaving(() -> connectAndClose(awaiting), unused -> {}).join();

        assertThat(watcher.reportsOf(() -> {})).containsExactly("constructed Awaiting", "closed Awaiting");
    }

    /** The weaving thread may need a lock of the thread that constructs. */
    @Test
    void anObjectWhoseCloseMayNotBeReportedYetIsNotOpen() throws Exception {
        RecordingWatcher watcher = RecordingWatcher.watching(Connection.class);
        Class<?> base = newBase("LockedBase");
        AtomicBoolean isInterrupted = new AtomicBoolean();

        whileWeaving(
                () -> {
                    connectAndClose(connectionClass("Locked", base));
                    isInterrupted.set(Thread.interrupted());
                },
                constructing -> {
                    constructing.interrupt();
                    constructing.join();
                });

        assertThat(isInterrupted).isTrue();
        assertThat(watcher.reportsOf(() -> connectAndClose(connectionClass("Unlocked", base))))
                .containsExactly(
                        "unheard Locked: {close=Another thread adds code to classes, and this one cannot wait for its end}",
                        "constructed Unlocked",
                        "closed Unlocked");
    }

    @Test
    void objectsAreConstructedWhileTheirClassIsWoven() throws InterruptedException {
        CountDownLatch haveStarted = new CountDownLatch(4);
        CountDownLatch isWoven = new CountDownLatch(1);
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(unused -> new Thread(() -> {
                    do {
                        new Busy(true);
                        haveStarted.countDown();
                    } while (isWoven.getCount() > 0);
                }))
                .toList();
        Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        threads.forEach(thread -> thread.setUncaughtExceptionHandler((unused, failure) -> thrown.add(failure)));
        threads.forEach(Thread::start);
        haveStarted.await();

        RecordingWatcher watcher = RecordingWatcher.another(Busy.class.getName());
        isWoven.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(thrown).isEmpty();
        assertThat(watcher.reportsOf(() -> new Busy(false).close())).endsWith("constructed Busy", "closed Busy");
    }

    static class BusyBase implements AutoCloseable {

        @Override
        public void close() {}
    }

    static class Busy extends BusyBase {

        Busy(boolean hasInner) {
            if (hasInner) {
                new Busy(false).close();
            }
        }
    }

    @Test
    void watchingTheSameTypeAgainReportsOnce() {
        RecordingWatcher watcher = RecordingWatcher.watching(Busy.class);

        Weaver.watch(List.of(new WatchedType(Busy.class.getName(), Set.of("close"))), watcher);

        assertThat(watcher.reportsOf(() -> new Busy(false))).containsExactly("constructed Busy");
    }
}
