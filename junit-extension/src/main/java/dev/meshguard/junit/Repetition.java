package dev.meshguard.junit;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Which repetition of a repeated test runs.
 *
 * <p>Jupiter tells the test, and of its extensions only those that are asked for a parameter; its unique id has it too.
 */
final class Repetition {

    private static final Pattern INVOCATION = Pattern.compile("\\[test-template-invocation:#(\\d+)]$");

    private Repetition() {}

    /** Returns the number of the repetition, from 1, of a test that is repeated. */
    static OptionalInt of(ExtensionContext context) {
        boolean isRepeated = context.getTestMethod()
                .filter(method -> AnnotationSupport.isAnnotated(method, RepeatedTest.class))
                .isPresent();
        Matcher invocation = INVOCATION.matcher(context.getUniqueId());
        return isRepeated && invocation.find()
                ? OptionalInt.of(Integer.parseInt(invocation.group(1)))
                : OptionalInt.empty();
    }
}
