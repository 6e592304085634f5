package dev.meshguard.junit;

import java.util.Optional;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Where the invocations of a method come together that runs several times. */
final class Invocations {

    private Invocations() {}

    /**
     * Returns the context that is over when all invocations of a method are: that of a test template or of a factory, or that of a class
     * template around it. Returns nothing for a method that runs once.
     *
     * @param context that of a test or of a factory
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

    /** Of a class template and its invocations the class is the same, of a class and a nested one it is not. */
    private static boolean isTemplate(ExtensionContext outer, ExtensionContext inner) {
        return outer.getTestMethod().isPresent()
                || (inner.getTestMethod().isEmpty() && outer.getTestClass().equals(inner.getTestClass()));
    }
}
