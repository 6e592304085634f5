package dev.meshguard.junit.internal.session;

import dev.meshguard.handle.HandleSearch;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.junit.internal.BuildTool;
import dev.meshguard.junit.internal.Lazy;
import dev.meshguard.junit.internal.PageSubject;
import dev.meshguard.junit.internal.PlaceToOpen;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.junit.internal.summary.CheckSubject;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.MediaType;

/** The test, class or run that is responsible for a finding. */
public final class TrackedTest {

    /** The key of report entries. */
    private static final String ENTRY = "meshguard";

    /** An invocation of a test template or a class template, in a unique id. */
    private static final Pattern INVOCATION = Pattern.compile("-invocation:#(\\d+)\\]");

    private final ExtensionContext context;

    /** For a dynamic test, the context of its factory: its own knows neither class nor method. */
    private final ExtensionContext declaringContext;

    private final String suffix;
    private final Supplier<Optional<Throwable>> thrown;
    private final Lazy<String> name = new Lazy<>();
    private volatile boolean hasBegun;
    private volatile boolean isIncomplete;

    private TrackedTest(
            ExtensionContext context, ExtensionContext place, String suffix, Supplier<Optional<Throwable>> thrown) {
        this.context = context;
        this.declaringContext = place;
        this.suffix = suffix;
        this.thrown = thrown;
    }

    /** Returns the test, class or run of a context. */
    public static TrackedTest of(ExtensionContext context) {
        return new TrackedTest(context, context, "", context::getExecutionException);
    }

    /**
     * Returns a dynamic test.
     *
     * @param thrown the error that it threw, which its context does not contain
     */
    public static TrackedTest dynamic(
            ExtensionContext context, ExtensionContext factory, Supplier<Optional<Throwable>> thrown) {
        String displayName = context.getDisplayName().replaceAll("\\s+", " ");
        TrackedTest test = new TrackedTest(context, factory, " [" + displayName + "]", thrown);
        test.begin();
        return test;
    }

    /** Records that the test was not disabled: JUnit creates the instance of a disabled test, too. */
    public void begin() {
        hasBegun = true;
    }

    /** Records that a dynamic test of this factory threw an error. */
    public void failDynamicTest() {
        isIncomplete = true;
    }

    /** Returns whether it is a class or run, or a test that began, and whether neither it nor a dynamic test of it threw an error. */
    public boolean hasCompleted() {
        return (hasBegun || subject() != CheckSubject.TEST) && !isIncomplete && thrown().isEmpty();
    }

    /** Returns its context. */
    ExtensionContext context() {
        return context;
    }

    /** Returns its name; the name of a class or method is the selector of build tools. */
    public String name() {
        return name.computeIfAbsent(() -> selector().orElse("the whole run") + suffix);
    }

    private Optional<String> selector() {
        return qualifiedName().map(TestNames::withoutPackage);
    }

    private Optional<String> qualifiedName() {
        return declaringContext
                .getTestClass()
                .map(type -> type.getName()
                        + declaringContext
                                .getTestMethod()
                                .map(method -> "#" + method.getName())
                                .orElse(""));
    }

    /**
     * Returns its name among the tests of all packages, which is the same in other runs: {@code dev.example.KvCacheTest#decode[3]}.
     * Invocations have their numbers, because the texts of their arguments may differ from run to run.
     */
    public String id() {
        return qualifiedName().orElseGet(this::name)
                + INVOCATION
                        .matcher(declaringContext.getUniqueId())
                        .results()
                        .map(invocation -> "[" + invocation.group(1) + "]")
                        .collect(Collectors.joining())
                + suffix;
    }

    /** Returns the subject of the page of its check. */
    public PageSubject page() {
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

    /** Returns the class whose test it is; empty for the whole run. */
    public Optional<Class<?>> testClass() {
        return declaringContext.getTestClass();
    }

    /** Returns the command that runs it again. */
    public String reproduction() {
        return selector().map(BuildTool.ofTests()::command).orElseGet(BuildTool.ofTests()::command);
    }

    /** Returns its kind. */
    public CheckSubject subject() {
        return declaringContext.getTestMethod().isPresent()
                ? CheckSubject.TEST
                : declaringContext.getTestClass().isPresent() ? CheckSubject.CLASS : CheckSubject.RUN;
    }

    /** Returns a stack that leads to it, for errors without a better location; that of the run only names it. */
    public StackTraceElement[] stack() {
        if (declaringContext.getTestClass().isEmpty()) {
            return new StackTraceElement[] {new StackTraceElement("run", "check", name(), -1)};
        }
        return new StackTraceElement[] {
            PlaceToOpen.declaration(
                    declaringContext.getRequiredTestClass().getName(),
                    declaringContext.getTestMethod().map(Method::getName))
        };
    }

    /** Returns the error that it threw, if any. */
    public Optional<Throwable> thrown() {
        return thrown.get();
    }

    /**
     * Returns a search for handles that begins at the references of a test: its instance, the instances of enclosing
     * tests, and the static fields of their classes.
     *
     * <p>The parameters of a test are not included: a mesh, a runtime and a tracker hold no handle for others.
     *
     * @param ofRun the classes at whose static fields the search for the whole run begins
     */
    public HandleSearch handleSearch(Set<Class<?>> ofRun) {
        HandleSearch search = HandleSearch.from(declaringContext
                .getTestInstances()
                .map(instances -> instances.getAllInstances().toArray())
                .orElseGet(() -> new Object[0]));
        Set<Class<?>> statics = new LinkedHashSet<>();
        testClass().map(Set::<Class<?>>of).orElse(ofRun).forEach(type -> addWithOuterAndSuper(type, statics));
        for (Class<?> part : statics) {
            search = search.statics(part);
        }
        return search;
    }

    private static void addWithOuterAndSuper(Class<?> type, Set<Class<?>> all) {
        for (Class<?> around = type; around != null; around = around.getEnclosingClass()) {
            for (Class<?> part = around; part != Object.class && part != null; part = part.getSuperclass()) {
                all.add(part);
            }
        }
    }

    /**
     * Attaches the history of its failed check to its report.
     *
     * @return the file
     * @throws RuntimeException if it cannot be written
     */
    @SuppressWarnings({"deprecation", "removal"
    }) // The replacement came with Jupiter 5.14, and older versions are supported.
    public Path attach(AllocationHistory history) {
        Path[] written = new Path[1];
        context.publishFile("meshguard-history.jsonl", MediaType.parse(AttachedHistory.MEDIA_TYPE), file -> {
            new AttachedHistory(history, AttachedHistory.MAX_BYTES).write(file);
            written[0] = file;
        });
        return written[0];
    }

    /** Publishes a text as a report entry of it. */
    public void publish(String text) {
        context.publishReportEntry(ENTRY, text);
    }
}
