package dev.meshguard.junit.template;

import dev.meshguard.mesh.fault.FaultPlan;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Lets the errors of a plan leave the test method.
 *
 * @param plan what was to go wrong
 */
record MatrixCellExtension(FaultPlan plan) implements InvocationInterceptor {

    @Override
    @SuppressWarnings("CatchThrowable") // Whatever it is, it is thrown again unless it may be.
    public void interceptTestTemplateMethod(
            Invocation<@Nullable Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        try {
            invocation.proceed();
        } catch (Throwable error) {
            if (!InjectedErrors.explain(error, plan.faults())) {
                throw error;
            }
        }
    }
}
