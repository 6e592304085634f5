package dev.meshguard.junit;

import dev.meshguard.junit.internal.RunAccount;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * The values that one context keeps.
 *
 * <p>A look-up in a store goes on in the stores of the contexts around it, so that a test would be handed what its class
 * keeps. Keys therefore name the context. This is the one place that calls what JUnit 6 renamed and JUnit 5 has.
 */
final class GuardStore {

    private static final Namespace NAMESPACE = Namespace.create(MeshGuardExtension.class);

    private record GuardKey(String context) {}

    private record ResolverKey(String context) {}

    private record RunKey() {}

    private final ExtensionContext context;
    private final Store store;

    private GuardStore(ExtensionContext context) {
        this.context = context;
        this.store = context.getStore(NAMESPACE);
    }

    static GuardStore of(ExtensionContext context) {
        return new GuardStore(context);
    }

    Optional<AllocationGuard> guard() {
        return Optional.ofNullable(store.get(new GuardKey(context.getUniqueId()), AllocationGuard.class));
    }

    /** Returns the guard of this context; it is closed with the context, after what was stored later. */
    AllocationGuard guard(Supplier<AllocationGuard> ifAbsent) {
        return store.getOrComputeIfAbsent(
                new GuardKey(context.getUniqueId()), unused -> ifAbsent.get(), AllocationGuard.class);
    }

    /** Returns the account of the whole execution; it is closed after everything else. */
    static RunAccount run(ExtensionContext context, Supplier<RunAccount> ifAbsent) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(new RunKey(), unused -> ifAbsent.get(), RunAccount.class);
    }

    /** Returns whether the extension is the first that asked: of two in one context only one may resolve parameters. */
    boolean isResolver(MeshGuardExtension extension) {
        return extension
                == store.getOrComputeIfAbsent(
                        new ResolverKey(context.getUniqueId()), unused -> extension, MeshGuardExtension.class);
    }
}
