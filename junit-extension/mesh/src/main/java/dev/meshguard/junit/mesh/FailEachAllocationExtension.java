package dev.meshguard.junit.mesh;

import dev.meshguard.junit.internal.template.SequentialInvocations;
import dev.meshguard.junit.internal.template.TemplateAnnotation;
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
        AllocationRuns runs = new AllocationRuns(TemplateAnnotation.of(context, FailEachAllocation.class));
        return SequentialInvocations.stream(context, runs::next);
    }
}
