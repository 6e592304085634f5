package dev.meshguard.junit.mesh;

import dev.meshguard.mesh.fault.FaultPlan;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Accepts the errors of a plan that the test method throws.
 *
 * @param plan the faults of the cell
 */
record MatrixCellExtension(FaultPlan plan) implements InvocationInterceptor {

    @Override
    @SuppressWarnings("CatchThrowable") // Every error is thrown again unless it is allowed.
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
