package dev.meshguard.junit.internal.run;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Finds out whether a class still declares a test of an earlier run, which may have been removed.
 */
final class DeclaredTests {

    /** A class, its method, and numbers of invocations and names of dynamic tests in brackets. */
    private static final Pattern ID = Pattern.compile("([^#\\[]+)(?:#([^\\[]+?) ?)?(?:\\[.*)?");

    private DeclaredTests() {}

    /** Returns the test methods of a class and its supertypes. */
    static List<Method> of(Class<?> type) {
        return ReflectionSupport.findMethods(
                type, method -> AnnotationSupport.isAnnotated(method, Testable.class), HierarchyTraversalMode.TOP_DOWN);
    }

    /**
     * Returns whether the class of a test still has it.
     *
     * @param id the id of the test
     * @return empty if the class cannot be loaded: it may be one of another module
     */
    static Optional<Boolean> have(String id) {
        Matcher parts = ID.matcher(id);
        if (!parts.matches()) {
            return Optional.empty();
        }
        try {
            Class<?> type =
                    Class.forName(parts.group(1), false, Thread.currentThread().getContextClassLoader());
            String method = parts.group(2);
            return Optional.of(method == null
                    || of(type).stream().anyMatch(declared -> declared.getName().equals(method)));
        } catch (ClassNotFoundException | LinkageError notLoaded) {
            return Optional.empty();
        }
    }

    /** Returns whether the class of a test certainly has it no more. */
    static boolean lack(String id) {
        return have(id).filter(isThere -> !isThere).isPresent();
    }
}
