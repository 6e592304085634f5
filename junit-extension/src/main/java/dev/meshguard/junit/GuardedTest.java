package dev.meshguard.junit;

import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.tracker.handle.HandleSearch;
import java.lang.reflect.Method;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The test or class that is blamed.
 *
 * @param context its context
 */
record GuardedTest(ExtensionContext context) {

    /** The key of report entries. */
    private static final String ENTRY = "meshguard";

    /** Returns its name, as build tools select it. */
    String name() {
        return context.getTestMethod()
                .map(method -> Places.name(context.getRequiredTestClass(), method))
                .orElseGet(() -> Places.name(context.getRequiredTestClass()));
    }

    /** Returns the command that runs it again. */
    String reproduction() {
        return TestNames.reproduction(name());
    }

    /** Returns a frame in it, for errors that have no better place. */
    StackTraceElement frame() {
        Class<?> type = context.getRequiredTestClass();
        Class<?> topLevel = type;
        while (topLevel.getEnclosingClass() != null) {
            topLevel = topLevel.getEnclosingClass();
        }
        String method = context.getTestMethod().map(Method::getName).orElse("<class>");
        return new StackTraceElement(type.getName(), method, topLevel.getSimpleName() + ".java", -1);
    }

    /** Returns what it threw, if it did. */
    Optional<Throwable> thrown() {
        return context.getExecutionException();
    }

    /**
     * Returns a search for handles that begins where a test keeps things: its instance, those of the tests around it, and the static
     * fields of their classes.
     *
     * <p>The parameters that a test is given are not among them: a mesh, a runtime and a tracker hold no handle for anybody.
     */
    HandleSearch handleSearch() {
        HandleSearch.Builder search = HandleSearch.builder();
        context.getTestInstances()
                .ifPresent(instances -> instances.getAllInstances().forEach(search::instance));
        for (Class<?> around = context.getRequiredTestClass(); around != null; around = around.getEnclosingClass()) {
            for (Class<?> part = around; part != Object.class && part != null; part = part.getSuperclass()) {
                search.statics(part);
            }
        }
        return search.build();
    }

    /** Adds a text to what reports say of it. */
    void publish(String text) {
        context.publishReportEntry(ENTRY, text);
    }
}
