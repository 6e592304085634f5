package dev.meshguard.junit.internal.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The classes of a test. */
final class TestClasses {

    private TestClasses() {}

    /** Returns the class of a test and then its enclosing classes, the innermost first; none for the whole run. */
    static List<Class<?>> of(ExtensionContext context) {
        List<Class<?>> innermostFirst = new ArrayList<>(context.getEnclosingTestClasses());
        context.getTestClass().ifPresent(innermostFirst::add);
        Collections.reverse(innermostFirst);
        return innermostFirst;
    }
}
