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

    private final List<WatchedType> types;
    private final List<String> reports = new ArrayList<>();
    private volatile boolean isIdle;
    private volatile boolean isWithoutMemory;

    private RecordingWatcher(List<WatchedType> types) {
        this.types = types;
    }

    /** Code under test. */
    interface ThrowingCode {

        void run() throws Exception;
    }

    /** Watches types that are closed by {@code close()}. */
    static RecordingWatcher watching(Class<?>... types) {
        return watching(Set.of("close"), Stream.of(types).map(Class::getName).toArray(String[]::new));
    }

    static RecordingWatcher watching(Set<String> closingMethods, String... classNames) {
        RecordingWatcher recorder = new RecordingWatcher(Stream.of(classNames)
                .map(name -> new WatchedType(name, closingMethods))
                .toList());
        Weaver.watch(recorder.types, recorder);
        return recorder;
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
    }

    /** Fails whenever it is asked, until it is told otherwise. */
    void runOutOfMemory(boolean isOut) {
        isWithoutMemory = isOut;
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
        if (isWithoutMemory) {
            throw new OutOfMemoryError("none left");
        }
        return isIdle;
    }

    @Override
    public boolean lost(Object object, Throwable failure) {
        record("lost " + nameOf(object) + ": " + failure.getMessage());
        return true;
    }

    @Override
    public void constructed(Object object, Map<String, String> unheard) {
        record("unheard " + nameOf(object) + ": " + unheard);
    }

    @Override
    public void constructed(Object object) {
        record("constructed " + nameOf(object));
    }

    @Override
    public void constructionFailed(Object object) {
        record("not constructed " + nameOf(object));
    }

    @Override
    public void ended(Object object, String method, List<String> within, @Nullable Throwable reason) {
        String text = reason == null
                ? "closed " + nameOf(object)
                : "not closed " + nameOf(object) + ": " + reason.getMessage();
        record(within.isEmpty() ? text : text + " within " + within);
    }
}
