package dev.meshguard.junit.internal.template;

import dev.meshguard.junit.internal.StoredResource;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * Finds the running invocation of a test template.
 *
 * <p>It is in the store of the template, whose invocations run sequentially. The store of the invocation would be too
 * late: the extensions of a template run after the instance of the test is created.
 */
public final class TemplateInvocations {

    private static final Namespace NAMESPACE = Namespace.create(TemplateInvocations.class);

    private record EndKey(ExtensionContext context) {}

    private TemplateInvocations() {}

    /** Registers the next invocation of a template. */
    public static void put(ExtensionContext template, TemplateInvocation next) {
        template.getStore(NAMESPACE).put(template, next);
    }

    /** Returns the running invocation, if a context is one of a MeshGuard template. */
    public static Optional<TemplateInvocation> of(ExtensionContext context) {
        Optional<ExtensionContext> parent = context.getParent();
        if (parent.isEmpty()) {
            return Optional.empty();
        }
        ExtensionContext template = parent.get();
        return Optional.ofNullable(template.getStore(NAMESPACE).get(template, TemplateInvocation.class));
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
