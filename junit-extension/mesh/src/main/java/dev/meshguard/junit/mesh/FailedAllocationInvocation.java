package dev.meshguard.junit.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.internal.template.SourceRuntime;
import dev.meshguard.junit.internal.template.TemplateAnnotation;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.fault.AllocationDecision;
import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.InjectedFault;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.Scope;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.MultipleFailuresError;
import org.opentest4j.TestAbortedException;

/**
 * One invocation of a {@link FailEachAllocation} test: it counts the allocations, and makes one of them fail.
 *
 * <p>The mesh calls {@link #faultOf} for each allocation. The first invocation lets all succeed and records them for the
 * others. Safe for use by several threads, because threads of the test may allocate concurrently.
 */
final class FailedAllocationInvocation extends TemplateInvocation
        implements AllocationDecision, InvocationInterceptor, ParameterResolver {

    private final TemplateAnnotation<FailEachAllocation> use;
    private final int number;
    private final List<AllocationPoint> known;
    private final Fault.AllocationFails fault;
    private final List<AllocationPoint> reached = new ArrayList<>();
    private int made;
    private boolean hasEnded;
    private @Nullable SourceRuntime runtime;
    private @Nullable AllocationPoint failed;
    /** Its failure for the number of allocations. */
    private @Nullable AssertionFailedError wrongNumber;

    /**
     * Creates an invocation.
     *
     * @param number the number of the allocation that fails, from 1, or 0 if none does
     * @param known the allocations of the invocation without faults; empty if it did not run
     */
    private FailedAllocationInvocation(
            TemplateAnnotation<FailEachAllocation> use, int number, List<AllocationPoint> known) {
        super(use, number);
        this.use = use;
        this.number = number;
        this.known = known;
        this.fault = new Fault.AllocationFails(Math.max(1, number), Optional.empty(), OptionalInt.empty());
    }

    /** Returns the first invocation, which counts. */
    static FailedAllocationInvocation withoutFault(TemplateAnnotation<FailEachAllocation> use) {
        use.requireAtLeast(1, "limit", use.annotation().limit());
        return new FailedAllocationInvocation(use, 0, List.of());
    }

    @Override
    protected synchronized Optional<FailedAllocationInvocation> next() {
        List<AllocationPoint> counted = number == 0 && hasSucceeded() ? List.copyOf(reached) : known;
        // If an IDE or a build reruns only some invocations, the counting invocation may not have run.
        boolean isCounted = number == 0 ? isSelected() : !known.isEmpty();
        int most = isCounted ? counted.size() : use.annotation().limit();
        return hasMissedItsFault() || number >= most
                ? Optional.empty()
                : Optional.of(new FailedAllocationInvocation(use, number + 1, counted));
    }

    /** Returns whether the method ended before the allocation that was to fail. */
    private synchronized boolean hasMissedItsFault() {
        return number > 0 && hasEnded && failed == null;
    }

    /** Returns the allocation that failed, once it has. */
    synchronized Optional<AllocationPoint> failed() {
        return Optional.ofNullable(failed);
    }

    @Override
    protected String displayName() {
        if (number == 0) {
            return "without faults";
        }
        return known.isEmpty()
                ? which() + " fails"
                : which() + " fails: " + known.get(number - 1).shortly();
    }

    @Override
    public void requireUsable(List<SourceSettings> sources) {
        FakeMeshSettings.requireIn(sources, location());
    }

    @Override
    public synchronized void begins(SourceRuntime newRuntime) {
        runtime = newRuntime;
    }

    @Override
    public List<String> notes() {
        return failed().map(point -> List.of(injected(point))).orElse(List.of());
    }

    @Override
    public synchronized Optional<Fault.AllocationFails> faultOf(BufferType memory, List<Integer> devices) {
        made++;
        if (made > (long) known.size() + use.annotation().limit()) {
            throw tooMany(AllocationPoint.here(memory));
        }
        if (number == 0) {
            reached.add(AllocationPoint.here(memory));
            return Optional.empty();
        }
        boolean fails = use.annotation().lasting() ? made >= number : made == number;
        if (fails && failed == null) {
            failed = AllocationPoint.here(memory);
        }
        return fails ? Optional.of(fault) : Optional.empty();
    }

    /** Makes the allocation fail while the test method runs. */
    @Override
    @SuppressWarnings("CatchThrowable") // Every error is judged, and thrown again unless it is allowed.
    public void interceptTestTemplateMethod(
            Invocation<@Nullable Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        SourceRuntime given = runtime;
        if (given == null) {
            throw new IllegalStateException("The invocation did not receive the runtime of its test");
        }
        Optional<Throwable> thrown = Optional.empty();
        try (Scope counting = given.resolve(Ttnn.class).decideAllocations(this)) {
            invocation.proceed();
        } catch (Throwable error) {
            thrown = Optional.of(error);
        }
        end(thrown);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameterContext, ExtensionContext context) {
        return parameterContext.getParameter().getType() == FailedAllocation.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameterContext, ExtensionContext context) {
        return new FailedAllocation(this);
    }

    /**
     * Decides the result of the invocation after its method has ended.
     *
     * @param thrown the error that the method threw
     * @throws Throwable if the invocation fails or is aborted
     */
    private synchronized void end(Optional<Throwable> thrown) throws Throwable {
        hasEnded = true;
        if (number == 0 && made == 0 && thrown.isEmpty()) {
            wrongNumber = new AssertionFailedError(nothingTried());
        }
        if (wrongNumber != null) {
            throw wrongNumber;
        }
        if (thrown.isPresent()) {
            rethrowUnlessExpected(thrown.get());
        } else if (number > 0 && failed == null) {
            throw new TestAbortedException(missed());
        }
    }

    /** Throws the failure again, which JUnit keeps once, for the summary of the run. */
    @Override
    public synchronized void ended(ExtensionContext context) {
        if (wrongNumber != null) {
            throw wrongNumber;
        }
    }

    private void rethrowUnlessExpected(Throwable thrown) throws Throwable {
        if (failed == null) {
            throw thrown;
        }
        boolean isNamed = Arrays.stream(use.annotation().mayThrow()).anyMatch(type -> type.isInstance(thrown));
        if (!isNamed && !isInjected(thrown)) {
            thrown.addSuppressed(new InjectedFailureNote(injected(failed)));
            throw thrown;
        }
    }

    /** Returns whether an error is that of the fault, is caused by it, or collects only such errors. */
    private boolean isInjected(Throwable error) {
        if (error instanceof MultipleFailuresError several && several.hasFailures()) {
            return several.getFailures().stream().allMatch(this::isInjected);
        }
        return InjectedFault.in(error)
                .filter(note -> note.fault().equals(fault))
                .isPresent();
    }

    private AssertionFailedError tooMany(AllocationPoint point) {
        if (wrongNumber == null) {
            wrongNumber =
                    new AssertionFailedError(failed == null ? tooManyWithoutFault(point) : tooManyAfter(failed, point));
        }
        return wrongNumber;
    }

    private String which() {
        return "allocation " + number + (known.isEmpty() ? "" : " of " + known.size());
    }

    private String injected(AllocationPoint point) {
        return String.format(
                Locale.ROOT,
                "%s %s by injection: %s",
                which(),
                use.annotation().lasting() ? "and all after it failed" : "failed",
                point);
    }

    private String tooManyWithoutFault(AllocationPoint point) {
        return String.format(
                Locale.ROOT,
                "%s: the test made %s without any fault, which is the limit, and asked again: %s. Each would be a run of its own."
                        + " Raise the limit or test less at a time; code that allocates until memory is full needs a bound.",
                location(),
                Quantities.count(use.annotation().limit(), "allocation"),
                point);
    }

    private String tooManyAfter(AllocationPoint failure, AllocationPoint point) {
        return String.format(
                Locale.ROOT,
                "%s: %s. After that the test made %s more than without faults, which is the limit, and asked again: %s. Let code"
                        + " that retries give up, or raise the limit.",
                location(),
                injected(failure),
                Quantities.count(use.annotation().limit(), "allocation"),
                point);
    }

    private String nothingTried() {
        return location()
                + ": the test made no allocation through the mesh or the Ttnn that it is given, so none was failed. Only those of"
                + " the test method count; a mesh that a constructor or a @BeforeAll method was given under PER_CLASS is the class's.";
    }

    private String missed() {
        return String.format(
                Locale.ROOT,
                "%s: allocation %d was to fail, but this run made %d%s. What an earlier run left in static fields, or the order of"
                        + " threads, may be the reason. No later allocation was failed.",
                location(),
                number,
                made,
                known.isEmpty() ? "" : String.format(Locale.ROOT, "; the one without faults made %d", known.size()));
    }
}
