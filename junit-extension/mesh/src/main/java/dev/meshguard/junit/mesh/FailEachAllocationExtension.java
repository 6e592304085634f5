package dev.meshguard.junit.mesh;

import dev.meshguard.junit.internal.template.TemplateAnnotation;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Provides the invocations of {@link FailEachAllocation}; without state. */
final class FailEachAllocationExtension implements TestTemplateInvocationContextProvider {

    private FailEachAllocationExtension() {}

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return TemplateAnnotation.isOn(context, FailEachAllocation.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        TemplateAnnotation<FailEachAllocation> use = TemplateAnnotation.of(context, FailEachAllocation.class);
        return TemplateInvocation.stream(context, FailedAllocationInvocation.withoutFault(use));
    }
}
