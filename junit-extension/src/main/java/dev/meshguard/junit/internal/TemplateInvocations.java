package dev.meshguard.junit.internal;

import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * Where the invocation of a test template is found that runs now.
 *
 * <p>It is in the store of the template, whose invocations come one after the other. That of the invocation itself would be too late:
 * what a template may do with it is done when the instance of the test is made already.
 */
public final class TemplateInvocations {

    private static final Namespace NAMESPACE = Namespace.create(TemplateInvocations.class);

    private record EndKey(ExtensionContext context) {}

    private TemplateInvocations() {}

    /** Lets the next invocation of a template be found. */
    public static void put(ExtensionContext template, TemplateInvocation next) {
        template.getStore(NAMESPACE).put(template, next);
    }

    /** Returns what runs in a context, if that is an invocation of one of our templates. */
    public static Optional<TemplateInvocation> of(ExtensionContext context) {
        Optional<ExtensionContext> parent = context.getParent();
        if (parent.isEmpty()) {
            return Optional.empty();
        }
        ExtensionContext template = parent.get();
        return Optional.ofNullable(template.getStore(NAMESPACE).get(template, TemplateInvocation.class));
    }

    /** Tells an invocation of its end in its context: after everything that the store of the context gets from now on. */
    public static void awaitEnd(ExtensionContext context, TemplateInvocation invocation) {
        Store store = context.getStore(NAMESPACE);
        EndKey key = new EndKey(context);
        if (store.get(key) == null) {
            store.put(key, (StoredResource) () -> invocation.ended(context));
        }
    }
}
