package dev.meshguard.junit.mesh;

import dev.meshguard.tracker.Scope;
import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** Makes an allocation fail while the test method runs, and injects the {@link FailedAllocation}. */
final class AllocationRunExtension implements InvocationInterceptor, ParameterResolver {

    private final FailedAllocationInvocation run;

    AllocationRunExtension(FailedAllocationInvocation run) {
        this.run = run;
    }

    @Override
    @SuppressWarnings("CatchThrowable") // Every error is judged, and thrown again unless it is allowed.
    public void interceptTestTemplateMethod(
            Invocation<@Nullable Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        Optional<Throwable> thrown = Optional.empty();
        try (Scope counting = run.counting()) {
            invocation.proceed();
        } catch (Throwable error) {
            thrown = Optional.of(error);
        }
        run.end(thrown);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameterContext, ExtensionContext context) {
        return parameterContext.getParameter().getType() == FailedAllocation.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameterContext, ExtensionContext context) {
        return new FailedAllocation(run);
    }
}
