package dev.meshguard.junit;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The number of the current repetition of a repeated test.
 *
 * <p>Jupiter passes the number to the test and to parameter resolvers, but not to other extensions. The unique id
 * contains it too.
 */
final class Repetition {

    private static final Pattern INVOCATION = Pattern.compile("\\[test-template-invocation:#(\\d+)]$");

    private Repetition() {}

    /** Returns the number of the repetition, from 1, of a repeated test. */
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
