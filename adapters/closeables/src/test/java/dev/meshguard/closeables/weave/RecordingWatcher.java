package dev.meshguard.closeables.weave;

import dev.meshguard.weave.ObjectWatcher;
import dev.meshguard.weave.WatchedType;
import dev.meshguard.weave.Weaver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Records the reports about objects of the types that it watches, in the order in which they arrive. */
final class RecordingWatcher implements ObjectWatcher {

    /** Each more would be asked about each class that is loaded. */
    private static final RecordingWatcher OF_JVM = new RecordingWatcher();

    private volatile List<WatchedType> types = List.of();
    private final List<String> reports = new ArrayList<>();
    private volatile boolean isIdle;
    private volatile boolean isWithoutMemory;
    private volatile @Nullable String methodWithoutMemory;
    private volatile @Nullable Error failureInTransformer;

    private RecordingWatcher() {}

    /** Code under test. */
    interface ThrowingCode {

        void run() throws Exception;
    }

    /** Watches types that are closed by {@code close()}, for one test. */
    static RecordingWatcher watching(Class<?>... types) {
        return OF_JVM.watches(Set.of("close"), Stream.of(types).map(Class::getName));
    }

    static RecordingWatcher watching(Set<String> closingMethods, String... classNames) {
        return OF_JVM.watches(closingMethods, Stream.of(classNames));
    }

    /** Watches a type that is closed by {@code close()}, runs code, and returns all reports until then. */
    static List<String> reportsOf(Class<?> type, ThrowingCode code) {
        return watching(type).reportsOf(code);
    }

    /** Returns a watcher for which all classes are woven anew. */
    static RecordingWatcher another(String... classNames) {
        return new RecordingWatcher().watches(Set.of("close"), Stream.of(classNames));
    }

    private RecordingWatcher watches(Set<String> closingMethods, Stream<String> classNames) {
        types = classNames.map(name -> new WatchedType(name, closingMethods)).toList();
        synchronized (reports) {
            reports.clear();
        }
        Weaver.watch(types, this);
        return this;
    }

    /** Another test may have watched classes of the JDK, of which objects are constructed at any time. */
    private boolean isOfTest(Object object) {
        return object.getClass().getClassLoader() != null || types.stream().anyMatch(type -> isOf(type, object));
    }

    private static boolean isOf(WatchedType type, Object object) {
        try {
            return Class.forName(type.className(), false, null).isInstance(object);
        } catch (ClassNotFoundException ofTest) {
            return false;
        }
    }

    private void record(String report, Object object) {
        if (isOfTest(object)) {
            record(report.formatted(nameOf(object)));
        }
    }

    /** Returns the classes whose objects are not seen, each with the reason. */
    Map<String, String> unseen() {
        return Weaver.unseen(types, this);
    }

    /** Runs code, and returns all reports until then. Its exception is the last. */
    List<String> reportsOf(ThrowingCode code) {
        try {
            code.run();
        } catch (Exception thrown) {
            record("caught " + thrown.getClass().getSimpleName());
        }
        synchronized (reports) {
            return List.copyOf(reports);
        }
    }

    /** Takes no reports until it is told otherwise. */
    void idle(boolean newIsIdle) {
        isIdle = newIsIdle;
        if (!isIdle) {
            Weaver.wake(this);
        }
    }

    /** Throws an {@link OutOfMemoryError} where it is asked whether it is idle, until this is set to false. */
    void runOutOfMemory(boolean isOut) {
        isWithoutMemory = isOut;
    }

    /** Does so where a method asks it; null ends that. */
    void runOutOfMemoryIn(@Nullable String method) {
        methodWithoutMemory = method;
    }

    /** Fails from now on where a transformer asks it; null ends that. */
    void failInTransformer(@Nullable Error failure) {
        failureInTransformer = failure;
    }

    @Override
    public boolean isReportedAtStart() {
        Error failure = failureInTransformer;
        if (failure != null && isRunning("transform")) {
            throw failure;
        }
        return false;
    }

    private static boolean isRunning(String method) {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals(method)));
    }

    void record(String report) {
        synchronized (reports) {
            reports.add(report);
        }
    }

    private static String nameOf(Object object) {
        String name = object.getClass().getName();
        return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
    }

    @Override
    public boolean isIdle() {
        String method = methodWithoutMemory;
        if (isWithoutMemory || (method != null && isRunning(method))) {
            throw new OutOfMemoryError("none left");
        }
        return isIdle;
    }

    @Override
    public boolean lost(Object object, Throwable failure) {
        record("lost %s: " + failure.getMessage(), object);
        return true;
    }

    @Override
    public void constructed(Object object, Map<String, String> unheard) {
        record(unheard.isEmpty() ? "constructed %s" : "unheard %s: " + unheard, object);
    }

    @Override
    public void constructionFailed(Object object) {
        record("not constructed %s", object);
    }

    @Override
    public void ended(Object object, String method, List<String> within, @Nullable Throwable reason) {
        String text = reason == null ? "closed %s" : "not closed %s: " + reason.getMessage();
        record(within.isEmpty() ? text : text + " within " + within, object);
    }
}
