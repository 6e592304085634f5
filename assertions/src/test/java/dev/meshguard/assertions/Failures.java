package dev.meshguard.assertions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Catches the errors of assertions, for tests of their text. */
final class Failures {

    private static final Pattern LINE = Pattern.compile("(\\.java):\\d+\\)");

    private Failures() {}

    /** Returns the text of the failure, with line numbers masked so that tests may move. */
    static String textOf(ThrowingCallable assertion) {
        AssertionError failure = catchThrowableOfType(AssertionError.class, assertion);
        assertThat(failure).as("failure").isNotNull();
        return LINE.matcher(failure.getMessage().replace(System.lineSeparator(), "\n"))
                .replaceAll("$1:NN)");
    }

    /** Returns the failure of an assertion about leaks. */
    static LeakAssertionError leakOf(ThrowingCallable assertion) {
        LeakAssertionError failure = catchThrowableOfType(LeakAssertionError.class, assertion);
        assertThat(failure).as("failure").isNotNull();
        return failure;
    }
}
