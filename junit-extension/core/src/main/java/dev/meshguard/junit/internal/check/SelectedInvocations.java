package dev.meshguard.junit.internal.check;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Finds out whether all invocations of the test templates and factories of a test were selected to run.
 *
 * <p>An IDE and a rerun of failed tests select single ones. JUnit has no API that reports it, so its engine is asked by reflection.
 */
final class SelectedInvocations {

    private static final int NO_INDEX = -1;

    private SelectedInvocations() {}

    /** Returns whether all were selected; false if that cannot be known. */
    static boolean areAll(ExtensionContext test) {
        try {
            for (Optional<ExtensionContext> next = Optional.of(test); next.isPresent(); ) {
                ExtensionContext context = next.get();
                Object descriptor = call(methodOf(context, "getTestDescriptor").orElseThrow(), context);
                Optional<Method> filter = methodOf(descriptor, "getDynamicDescendantFilter");
                if (filter.isPresent() && !selectsAll(call(filter.get(), descriptor), descriptor)) {
                    return false;
                }
                next = context.getParent();
            }
            return true;
        } catch (RuntimeException notReadable) {
            return false;
        }
    }

    /** An invocation that does not exist is selected only with all others. */
    @SuppressWarnings("unchecked")
    private static boolean selectsAll(Object filter, Object descriptor) {
        Object id = call(methodOf(descriptor, "getUniqueId").orElseThrow(), descriptor);
        Method append = methodOf(id, "append", String.class, String.class).orElseThrow();
        return ((BiPredicate<Object, Integer>) filter).test(call(append, id, "no", "invocation"), NO_INDEX);
    }

    private static Optional<Method> methodOf(Object owner, String name, Class<?>... parameters) {
        return ReflectionSupport.findMethod(owner.getClass(), name, parameters);
    }

    private static Object call(Method method, Object owner, Object... arguments) {
        return ReflectionSupport.invokeMethod(method, owner, arguments);
    }
}
