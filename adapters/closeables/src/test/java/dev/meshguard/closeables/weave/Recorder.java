package dev.meshguard.closeables.weave;

import dev.meshguard.weave.ObjectWatcher;
import dev.meshguard.weave.WatchedType;
import dev.meshguard.weave.Weaver;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Records the reports about objects of some classes, in the order in which they arrive. */
final class Recorder implements ObjectWatcher {

    private final List<String> reports = new ArrayList<>();

    /** Watches types for the rest of the JVM, and runs the code under test. */
    static List<String> reportsOf(ThrowingCode code, Set<String> closingMethods, String... classNames) {
        Recorder recorder = new Recorder();
        Weaver.watch(
                Set.of(classNames).stream()
                        .map(name -> new WatchedType(name, closingMethods))
                        .toList(),
                recorder);
        return recorder.during(code);
    }

    static List<String> reportsOf(ThrowingCode code, Class<?>... types) {
        return reportsOf(
                code,
                Set.of("close"),
                Set.of(types).stream().map(Class::getName).toArray(String[]::new));
    }

    /** Code under test. */
    interface ThrowingCode {

        void run() throws Exception;
    }

    List<String> during(ThrowingCode code) {
        try (Weaver.Scope scope = Weaver.open()) {
            code.run();
        } catch (Exception expected) {
            record("caught", expected);
        }
        synchronized (reports) {
            return List.copyOf(reports);
        }
    }

    private void record(String what, Object subject) {
        synchronized (reports) {
            reports.add(what + " " + subject.getClass().getSimpleName());
        }
    }

    @Override
    public void constructed(Object object) {
        record("constructed", object);
    }

    @Override
    public void constructionFailed(Object object) {
        record("failed construction", object);
    }

    @Override
    public void closed(Object object) {
        record("closed", object);
    }

    @Override
    public void closeFailed(Object object, Throwable reason) {
        record("failed close", object);
    }

    @Override
    public void notWatched(String className, String reason) {
        synchronized (reports) {
            reports.add("not watched " + className + ": " + reason);
        }
    }
}
