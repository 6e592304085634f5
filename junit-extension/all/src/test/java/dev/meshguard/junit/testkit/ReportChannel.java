package dev.meshguard.junit.testkit;

import dev.meshguard.assertions.LeakAssertionError;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.EventType;

/** The channel that reports the leak of a test. */
public enum ReportChannel {
    /** It is the failure itself. */
    FAILURE,
    /** It is suppressed in what the test threw, and published. */
    SUPPRESSED,
    /** It is published only. */
    PUBLISHED,
    /** It is not reported. */
    NOWHERE;

    /** Returns the channel that reports the leak of the only test of a method. */
    public static ReportChannel of(RunAssert.Results results, String method) {
        List<Event> ofTest = results.events().allEvents().list().stream()
                .filter(event -> event.getTestDescriptor()
                        .getSource()
                        .filter(MethodSource.class::isInstance)
                        .filter(source ->
                                ((MethodSource) source).getMethodName().equals(method))
                        .isPresent())
                .toList();
        boolean isPublished = ofTest.stream().anyMatch(event -> event.getType() == EventType.REPORTING_ENTRY_PUBLISHED);
        TestExecutionResult result = ofTest.stream()
                .flatMap(event -> event.getPayload(TestExecutionResult.class).stream())
                .findFirst()
                .orElseThrow();
        if (result.getStatus() == Status.SUCCESSFUL) {
            return isPublished ? PUBLISHED : NOWHERE;
        }
        Throwable thrown = result.getThrowable().orElseThrow();
        if (thrown instanceof LeakAssertionError) {
            return FAILURE;
        }
        boolean isSuppressed = Arrays.stream(thrown.getSuppressed()).anyMatch(LeakAssertionError.class::isInstance);
        if (isSuppressed && isPublished) {
            return SUPPRESSED;
        }
        if (isSuppressed) {
            throw new AssertionError("The leak is suppressed and not published: " + thrown);
        }
        return isPublished ? PUBLISHED : NOWHERE;
    }
}
