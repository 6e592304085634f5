package dev.meshguard.junit.testkit;

import static dev.meshguard.tracker.script.ExpectedText.expected;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.EventType;
import org.junit.platform.testkit.engine.Events;

/** Assertions about a run. */
public final class RunAssert extends AbstractAssert<RunAssert, RunAssert.Results> {

    /**
     * The results of a run.
     *
     * @param events the engine's events
     */
    public record Results(EngineExecutionResults events) {

        /** Returns the messages of all failures: of tests, of classes and of the run. */
        public List<String> failures() {
            return RunAssert.failures(events.allEvents()).stream()
                    .map(Throwable::getMessage)
                    .toList();
        }
    }

    private RunAssert(Results actual) {
        super(actual, RunAssert.class);
    }

    /** Starts assertions about a run. */
    public static RunAssert assertThat(Results actual) {
        return new RunAssert(actual);
    }

    /** Verifies that a number of tests ran and all succeeded, and the classes too. */
    public RunAssert hasOnlySucceeded(int tests) {
        Assertions.assertThat(failures(actual.events().allEvents())).isEmpty();
        Assertions.assertThat(actual.events().testEvents().succeeded().count()).isEqualTo(tests);
        return this;
    }

    /** Verifies that exactly one test ran, and returns it. */
    public Subject hasSingleTest() {
        return only("finished tests", actual.events().testEvents().finished(), event -> true);
    }

    /** Returns the only test with a method or display name. */
    public Subject hasTest(String name) {
        return only(
                "test " + name,
                actual.events().testEvents().finished(),
                isOf(name)
                        .or(event -> event.getTestDescriptor().getDisplayName().equals(name)));
    }

    /** Returns the tests of a method, in the order in which they ended. */
    List<Subject> testsOf(String method) {
        return actual.events().testEvents().finished().list().stream()
                .filter(isOf(method))
                .map(event -> new Subject(actual, event))
                .toList();
    }

    /** Returns the failed container of the invocations or dynamic tests of a method. */
    Subject hasFailedContainerOf(String method) {
        return only(
                "failed containers of " + method,
                actual.events().containerEvents().failed(),
                isOf(method));
    }

    /** Returns a class that failed. */
    Subject hasFailedClass(Class<?> type) {
        return only(
                "failed containers of " + type,
                actual.events().containerEvents().failed(),
                event -> event.getTestDescriptor().getSource().orElse(null) instanceof ClassSource source
                        && source.getJavaClass() == type);
    }

    /** Returns the run, which failed. */
    Subject hasFailedRun() {
        return only(
                "failed runs",
                actual.events().containerEvents().failed(),
                event -> event.getTestDescriptor().isRoot());
    }

    /** Verifies the number of engines, classes and factories that failed; none was aborted. */
    void hasFailedContainers(int number) {
        Assertions.assertThat(failures(actual.events().containerEvents())).hasSize(number);
        Assertions.assertThat(actual.events().containerEvents().aborted().list())
                .as("aborted containers")
                .isEmpty();
    }

    /** Verifies the number of tests that ended. */
    void hasTests(int number) {
        Assertions.assertThat(actual.events().testEvents().finished().count()).isEqualTo(number);
    }

    /** Returns one invocation of a method that runs several times, from 1; all before it ran too. */
    public Subject hasInvocation(String method, int index) {
        return testsOf(method).get(index - 1);
    }

    /** Verifies that exactly the tests with the given display names failed, in any order, and no class. */
    public RunAssert hasOnlyFailed(String... displayNames) {
        Assertions.assertThat(actual.events().containerEvents().failed().list()).isEmpty();
        Assertions.assertThat(actual.events().testEvents().failed().list())
                .map(event -> event.getTestDescriptor().getDisplayName())
                .containsExactlyInAnyOrder(displayNames);
        return this;
    }

    /** Verifies that only one test, class, factory or engine failed, the one with a display name, for a leak. */
    public Failure hasOnlyLeakOf(String displayName) {
        List<Event> failed = actual.events().allEvents().failed().list();
        Assertions.assertThat(failed)
                .map(event -> event.getTestDescriptor().getDisplayName())
                .containsExactly(displayName);
        return new Subject(actual, failed.get(0)).whichFailed().withVerdict(Outcome.LEAKED);
    }

    /** Verifies the names of the invocations of a method, in their order; line numbers masked. */
    public RunAssert hasInvocationsNamed(String method, String... names) {
        Assertions.assertThat(actual.events().testEvents().started().list().stream()
                        .filter(isOf(method))
                        .map(event -> event.getTestDescriptor().getDisplayName().replaceAll(":\\d+$", ":NN")))
                .containsExactly(names);
        return this;
    }

    /** Returns the failure of a method: of its only test, or of the container of its invocations. */
    public Failure hasFailureOf(String method) {
        return only("failures of " + method, actual.events().allEvents().failed(), isOf(method))
                .whichFailed();
    }

    /** Verifies that neither the engine nor any class or factory failed. */
    public RunAssert hasNoFailedClass() {
        Assertions.assertThat(failures(actual.events().containerEvents())).isEmpty();
        return this;
    }

    /** Verifies that exactly one engine, class or factory failed, and returns its failure. */
    public Failure hasFailedContainer() {
        return only("failed containers", actual.events().containerEvents().failed(), event -> true)
                .whichFailed();
    }

    /** Verifies that one text that was published for any test, class or the run has all given parts. */
    public RunAssert hasPublishedTextContaining(String... parts) {
        Assertions.assertThat(
                        actual.events().allEvents().reportingEntryPublished().list())
                .map(event -> String.valueOf(event.getPayload()))
                .anySatisfy(text -> Assertions.assertThat(text).contains(parts));
        return this;
    }

    private Subject only(String description, Events events, Predicate<Event> fits) {
        List<Event> found = events.list().stream().filter(fits).toList();
        Assertions.assertThat(found).as(description).hasSize(1);
        return new Subject(actual, found.get(0));
    }

    private static Predicate<Event> isOf(String method) {
        return event -> event.getTestDescriptor().getSource().orElse(null) instanceof MethodSource source
                && source.getMethodName().equals(method);
    }

    private static List<Throwable> failures(Events events) {
        return events.failed()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .orElseThrow())
                .toList();
    }

    /** A completed test or class. */
    public static final class Subject {

        private final Results results;
        private final Event event;

        private Subject(Results results, Event event) {
            this.results = results;
            this.event = event;
        }

        /** Verifies that it succeeded and published one text with the given parts. */
        public void whichSucceededWithPublishedTextContaining(String... parts) {
            has(Status.SUCCESSFUL);
            Assertions.assertThat(entries())
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .contains(parts);
        }

        /** Verifies that it failed, and returns the failure. */
        public Failure whichFailed() {
            return has(Status.FAILED);
        }

        /** Verifies that it was aborted, and returns the reason. */
        public Failure whichWasAborted() {
            return has(Status.ABORTED);
        }

        /** Verifies that it succeeded and published nothing. */
        public void whichSucceededSilently() {
            has(Status.SUCCESSFUL);
            Assertions.assertThat(entries()).isEmpty();
        }

        private Failure has(Status status) {
            TestExecutionResult result = event.getRequiredPayload(TestExecutionResult.class);
            Assertions.assertThat(result.getStatus())
                    .as(() -> "status, given " + result)
                    .isEqualTo(status);
            return new Failure(this, result.getThrowable().orElse(null));
        }

        private List<String> entries() {
            return results.events().allEvents().list().stream()
                    .filter(one -> one.getType() == EventType.REPORTING_ENTRY_PUBLISHED
                            && one.getTestDescriptor().equals(event.getTestDescriptor()))
                    .map(one -> one.getRequiredPayload(ReportEntry.class).getKeyValuePairs())
                    .flatMap(pairs -> pairs.entrySet().stream())
                    .filter(pair -> pair.getKey().equals("meshguard"))
                    .map(Map.Entry::getValue)
                    .toList();
        }
    }

    /** The reason why a test or class did not succeed. */
    public static final class Failure {

        private final Subject subject;
        private final Throwable thrown;

        private Failure(Subject subject, Throwable thrown) {
            this.subject = subject;
            this.thrown = thrown;
        }

        /** Verifies that it is only a leak with the given outcome. */
        public Failure withVerdict(Outcome outcome) {
            Assertions.assertThat(verdictOf(thrown).outcome()).isEqualTo(outcome);
            return this;
        }

        /** Returns its verdict. */
        public LeakVerdict verdict() {
            return verdictOf(thrown);
        }

        /** Verifies the type and message of the error. */
        public Failure with(Class<? extends Throwable> type, String message) {
            Assertions.assertThat(thrown).isInstanceOf(type).hasMessage(message);
            return this;
        }

        /** Verifies the type of the error. */
        public Failure with(Class<? extends Throwable> type) {
            Assertions.assertThat(thrown).isInstanceOf(type);
            return this;
        }

        /** Verifies the whole text, line numbers masked: of a leak with references to events of its history. */
        public Failure withText(String text) {
            if (thrown instanceof LeakAssertionError leak) {
                Assertions.assertThat(text()).isEqualTo(expected(leak.verdict().history(), text));
            } else {
                Assertions.assertThat(text()).isEqualTo(text);
            }
            return this;
        }

        /** Returns the whole text, line numbers masked. */
        public String text() {
            return JupiterRun.masked(String.valueOf(thrown.getMessage()));
        }

        /** Verifies a part of the text, line numbers masked, however its lines are broken. */
        public Failure withTextContaining(String part) {
            Assertions.assertThat(onOneLine(text())).contains(onOneLine(part));
            return this;
        }

        private static String onOneLine(String text) {
            return text.replaceAll("\\s+", " ");
        }

        /** Verifies a note that is suppressed in it, line numbers masked. */
        public Failure withSuppressedText(String text) {
            Assertions.assertThat(Arrays.stream(thrown.getSuppressed()).map(one -> JupiterRun.masked(one.getMessage())))
                    .containsExactly(text);
            return this;
        }

        /** Verifies parts of the only note that is suppressed in it. */
        public Failure withSuppressedTextContaining(String... parts) {
            Assertions.assertThat(thrown.getSuppressed())
                    .singleElement()
                    .satisfies(note -> Assertions.assertThat(note).hasMessageContainingAll(parts));
            return this;
        }

        /** Verifies that one leak with the given outcome is suppressed in it, and that its whole text was published. */
        public Failure withSuppressedVerdict(Outcome outcome) {
            List<Throwable> suppressed = Arrays.stream(thrown.getSuppressed())
                    .filter(LeakAssertionError.class::isInstance)
                    .toList();
            Assertions.assertThat(suppressed)
                    .extracting(leak -> verdictOf(leak).outcome())
                    .containsExactly(outcome);
            Assertions.assertThat(subject.entries())
                    .containsExactly(suppressed.get(0).getMessage());
            return this;
        }

        /** Verifies that nothing is suppressed in it and nothing was published. */
        public Failure withNothingSuppressed() {
            Assertions.assertThat(thrown.getSuppressed()).isEmpty();
            Assertions.assertThat(subject.entries()).isEmpty();
            return this;
        }

        /** Verifies a part of the only published text. */
        public Failure withPublishedTextContaining(String part) {
            Assertions.assertThat(subject.entries())
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .satisfies(text -> Assertions.assertThat(onOneLine(text)).contains(onOneLine(part)));
            return this;
        }

        /** Verifies the class and method to which an IDE jumps. */
        public Failure withFirstFrameIn(String frame) {
            StackTraceElement first = thrown.getStackTrace()[0];
            Assertions.assertThat(first.getClassName().replaceAll(".*[.$]", "") + "." + first.getMethodName())
                    .isEqualTo(frame);
            return this;
        }

        /** Verifies the frame to which an IDE jumps, where it is no code. */
        public Failure withFirstFrame(String frame) {
            Assertions.assertThat(thrown.getStackTrace()[0]).hasToString(frame);
            return this;
        }

        private static LeakVerdict verdictOf(Throwable thrown) {
            Assertions.assertThat(thrown).isInstanceOf(LeakAssertionError.class);
            return ((LeakAssertionError) thrown).verdict();
        }
    }
}
