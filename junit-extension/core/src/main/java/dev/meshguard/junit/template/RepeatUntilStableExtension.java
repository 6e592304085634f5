package dev.meshguard.junit.template;

import dev.meshguard.junit.internal.template.TemplateAnnotation;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Provides the rounds of {@link RepeatUntilStable}; without state. */
final class RepeatUntilStableExtension implements TestTemplateInvocationContextProvider {

    private RepeatUntilStableExtension() {}

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return TemplateAnnotation.isOn(context, RepeatUntilStable.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        TemplateAnnotation<RepeatUntilStable> use = TemplateAnnotation.of(context, RepeatUntilStable.class);
        return TemplateInvocation.stream(context, StabilityRound.first(use));
    }
}
