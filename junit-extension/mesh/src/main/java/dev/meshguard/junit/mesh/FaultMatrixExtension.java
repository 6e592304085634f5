package dev.meshguard.junit.mesh;

import dev.meshguard.junit.internal.template.SequentialInvocations;
import dev.meshguard.junit.internal.template.TemplateAnnotation;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Provides the cells of {@link FaultMatrix}; without state. */
final class FaultMatrixExtension implements TestTemplateInvocationContextProvider {

    private FaultMatrixExtension() {}

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return TemplateAnnotation.isOn(context, FaultMatrix.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        MatrixRuns runs = new MatrixRuns(TemplateAnnotation.of(context, FaultMatrix.class));
        return SequentialInvocations.stream(context, runs::next);
    }
}
