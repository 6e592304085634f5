package dev.meshguard.junit.internal.check;

import java.util.Optional;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Finds the context around all invocations of a method that runs several times. */
final class Invocations {

    private Invocations() {}

    /**
     * Returns the context that ends after all invocations of a method: that of a test template or of a factory, or that
     * of a class template around it. Returns nothing for a method that runs once.
     *
     * @param context the context of a test or of a factory
     */
    static Optional<ExtensionContext> around(ExtensionContext context) {
        Optional<ExtensionContext> outermost = AnnotationSupport.isAnnotated(context.getTestMethod(), TestFactory.class)
                ? Optional.of(context)
                : Optional.empty();
        ExtensionContext inner = context;
        Optional<ExtensionContext> outer = context.getParent();
        while (outer.isPresent() && outer.get().getTestClass().isPresent()) {
            if (isTemplate(outer.get(), inner)) {
                outermost = outer;
            }
            inner = outer.get();
            outer = inner.getParent();
        }
        return outermost;
    }

    /** A class template and its invocations have the same class; a class and a nested one do not. */
    private static boolean isTemplate(ExtensionContext outer, ExtensionContext inner) {
        return outer.getTestMethod().isPresent()
                || (inner.getTestMethod().isEmpty() && outer.getTestClass().equals(inner.getTestClass()));
    }
}
