package dev.meshguard.junit;

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
        String selector = name();
        // A shell would take what follows the sign of a nested class for a variable.
        return "mvn test -Dtest=" + (selector.indexOf('$') < 0 ? selector : "'" + selector + "'");
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

    /** Adds a text to what reports say of it. */
    void publish(String text) {
        context.publishReportEntry(ENTRY, text);
    }
}
