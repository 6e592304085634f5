package dev.meshguard.junit;

import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Rejects {@link Tracked} fields of a test that nothing tracks: they would be null, and code that accepts null would
 * leak unseen.
 *
 * <p>Registered by the fields themselves. It runs before the first method of the test, after all extensions that could
 * set them, in any order of registration.
 */
final class UnfilledFields implements InvocationInterceptor {

    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        TrackedFields.rejectUnfilled(context);
        invocation.proceed();
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        TrackedFields.rejectUnfilled(context);
        invocation.proceed();
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        TrackedFields.rejectUnfilled(context);
        invocation.proceed();
    }

    @Override
    public <T> T interceptTestFactoryMethod(
            Invocation<T> invocation, ReflectiveInvocationContext<Method> invocationContext, ExtensionContext context)
            throws Throwable {
        TrackedFields.rejectUnfilled(context);
        return invocation.proceed();
    }
}
