package dev.meshguard.junit.internal.template;

import dev.meshguard.junit.internal.StoredResource;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;

/**
 * Runs the invocations of a test template one after the other, and finds the running one.
 *
 * <p>That is in the store of the template, whose invocations run sequentially. The store of the invocation would be too
 * late: the extensions of a template run after the instance of the test is created.
 */
public final class TemplateInvocations {

    private static final Namespace NAMESPACE = Namespace.create(TemplateInvocations.class);

    private record EndKey(ExtensionContext context) {}

    private TemplateInvocations() {}

    /**
     * Returns the invocations of a template, each decided after the end of the previous one.
     *
     * <p>Jupiter runs each invocation from the stream before it requests the next, unless the invocations are concurrent.
     */
    public static Stream<TestTemplateInvocationContext> stream(ExtensionContext template, TemplateInvocation first) {
        return Stream.<Optional<? extends TemplateInvocation>>iterate(
                        Optional.of(first),
                        Optional::isPresent,
                        before -> before.orElseThrow().next())
                .map(next -> {
                    template.getStore(NAMESPACE).put(template, next.orElseThrow());
                    return next.orElseThrow();
                });
    }

    /** Returns the running invocation, if a context is one of a MeshGuard template. */
    public static Optional<TemplateInvocation> of(ExtensionContext context) {
        return context.getParent()
                .filter(parent -> parent.getTestMethod().isPresent())
                .map(template -> template.getStore(NAMESPACE).get(template, TemplateInvocation.class));
    }

    /**
     * Calls an invocation at its end in its context: after everything that is added to the store of the context from
     * now on.
     */
    public static void awaitEnd(ExtensionContext context, TemplateInvocation invocation) {
        Store store = context.getStore(NAMESPACE);
        EndKey key = new EndKey(context);
        if (store.get(key) == null) {
            store.put(key, (StoredResource) () -> invocation.ended(context));
        }
    }
}
