package dev.meshguard.junit;

import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.junit.internal.attachment.FailureFiles;
import dev.meshguard.junit.internal.pages.PageSubject;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.handle.HandleSearch;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.MediaType;
import org.junit.jupiter.api.function.ThrowingConsumer;

/** The test, class or suite that is blamed. */
final class TrackedTest {

    /** The key of report entries. */
    private static final String ENTRY = "meshguard";

    private final ExtensionContext context;

    /** Of a dynamic test that of its factory: its own knows neither class nor method. */
    private final ExtensionContext declaringContext;

    private final String suffix;
    private final Supplier<Optional<Throwable>> thrown;
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();

    private TrackedTest(
            ExtensionContext context, ExtensionContext place, String suffix, Supplier<Optional<Throwable>> thrown) {
        this.context = context;
        this.declaringContext = place;
        this.suffix = suffix;
        this.thrown = thrown;
    }

    /** Returns the test, class or suite of a context. */
    static TrackedTest of(ExtensionContext context) {
        return new TrackedTest(context, context, "", context::getExecutionException);
    }

    /**
     * Returns a dynamic test.
     *
     * @param thrown what it threw, which its context does not know
     */
    static TrackedTest dynamic(
            ExtensionContext context, ExtensionContext factory, Supplier<Optional<Throwable>> thrown) {
        String displayName = context.getDisplayName().replaceAll("\\s+", " ");
        return new TrackedTest(context, factory, " [" + displayName + "]", thrown);
    }

    /** Returns its name; that of a class or method is as build tools select it. */
    String name() {
        return selector().orElse("the whole run") + suffix;
    }

    private Optional<String> selector() {
        return declaringContext
                .getTestClass()
                .map(type -> declaringContext
                        .getTestMethod()
                        .map(method -> TestNames.of(type, method))
                        .orElseGet(() -> TestNames.of(type)));
    }

    /** Returns whose page that of its check is. */
    PageSubject page() {
        String identity = context.getUniqueId();
        boolean isInvocation = suffix.isEmpty()
                && declaringContext
                        .getParent()
                        .filter(parent -> parent.getTestMethod().isPresent())
                        .isPresent();
        String invocation = isInvocation ? " " + context.getDisplayName().replaceAll("\\s+", " ") : "";
        String number = isInvocation ? identity.replaceAll(".*[^0-9]([0-9]+)\\]$", ".$1") : "";
        return new PageSubject(
                name() + invocation,
                selector().orElse("whole-run") + (number.length() < identity.length() ? number : "") + suffix,
                identity,
                declaringContext.getTestClass().isEmpty());
    }

    /** Returns the command that runs it again. */
    String reproduction() {
        return selector().map(TestNames::reproduction).orElseGet(TestNames::reproduction);
    }

    /** Returns what a summary has to know of it. */
    CheckSubject subject() {
        CheckSubject.Kind kind = declaringContext.getTestMethod().isPresent()
                ? CheckSubject.Kind.TEST
                : declaringContext.getTestClass().isPresent() ? CheckSubject.Kind.CLASS : CheckSubject.Kind.RUN;
        return new CheckSubject(kind, name(), reproduction());
    }

    /** Returns what a summary has to know of a program that it started. */
    CheckSubject subjectOf(TrackedProcess process) {
        return new CheckSubject(CheckSubject.Kind.PROCESS, name() + ", process " + process.pid(), reproduction());
    }

    /** Returns a stack that leads to it, for errors that have no better place. */
    StackTraceElement[] stack() {
        if (declaringContext.getTestClass().isEmpty()) {
            return new StackTraceElement[0];
        }
        Class<?> type = declaringContext.getRequiredTestClass();
        Class<?> topLevel = type;
        while (topLevel.getEnclosingClass() != null) {
            topLevel = topLevel.getEnclosingClass();
        }
        String method = declaringContext.getTestMethod().map(Method::getName).orElse("<class>");
        return new StackTraceElement[] {
            new StackTraceElement(type.getName(), method, topLevel.getSimpleName() + ".java", -1)
        };
    }

    /** Returns what it threw, if it did. */
    Optional<Throwable> thrown() {
        return thrown.get();
    }

    /** Says that code of the test runs on the calling thread until the scope is closed. */
    Scope body() {
        Thread thread = Thread.currentThread();
        boolean isOutermost = running.add(thread);
        return () -> {
            if (isOutermost) {
                running.remove(thread);
            }
        };
    }

    /** Returns whether code of the test runs on another thread still; a timeout gives up waiting for it. */
    boolean outlivesItself() {
        return running.stream().anyMatch(thread -> !thread.equals(Thread.currentThread()));
    }

    /**
     * Returns a search for handles that begins where a test keeps things: its instance, those of the tests around it, and the static
     * fields of their classes.
     *
     * <p>The parameters that a test is given are not among them: a mesh, a runtime and a tracker hold no handle for anybody.
     */
    HandleSearch handleSearch() {
        HandleSearch.Builder search = HandleSearch.builder();
        declaringContext
                .getTestInstances()
                .ifPresent(instances -> instances.getAllInstances().forEach(search::instance));
        for (Class<?> around = declaringContext.getTestClass().orElse(null);
                around != null;
                around = around.getEnclosingClass()) {
            for (Class<?> part = around; part != Object.class && part != null; part = part.getSuperclass()) {
                search.statics(part);
            }
        }
        return search.build();
    }

    /** Adds pairs to what reports say of it. */
    void publish(Map<String, String> pairs) {
        context.publishReportEntry(pairs);
    }

    /**
     * Returns the files of its failure.
     *
     * @param number tells apart the failures of meshes of the whole run, whose files lie in one folder
     */
    FailureFiles files(int number) {
        String prefix = declaringContext.getTestClass().isPresent() ? "meshguard-" : "meshguard-" + number + "-";
        return new FailureFiles(prefix, FailureFiles.MAX_BYTES);
    }

    /** Attaches a file to what reports say of it. */
    @SuppressWarnings({"deprecation", "removal"
    }) // What replaces it came with Jupiter 5.14, and older ones are supported.
    void attach(String name, String mediaType, ThrowingConsumer<Path> write) {
        context.publishFile(name, MediaType.parse(mediaType), write);
    }

    /** Adds a text to what reports say of it. */
    void publish(String text) {
        context.publishReportEntry(ENTRY, text);
    }
}
