package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.internal.SharedRunState;
import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.config.ConfigurationCache;
import dev.meshguard.junit.internal.config.TrackingSettings;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.internal.template.TemplateInvocations;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * The values that one context stores.
 *
 * <p>A look-up in a store continues in the stores of the enclosing contexts, so a test would get the value of its
 * class. Keys therefore contain the context; its unique id would have to be built for each test. Values that need no
 * closing are stored together, because a look-up is a large part of the cost of a test. Only this class calls methods
 * that JUnit 6 renamed.
 */
public final class SessionStore {

    private static final Namespace NAMESPACE = Namespace.create(SessionStore.class);

    private record SessionKey(ExtensionContext context, TrackingSettings settings) {

        /** Settings have many components, and one context rarely stores meshes of two. */
        @Override
        public int hashCode() {
            return context.hashCode();
        }
    }

    private record AttributionKey(ExtensionContext context) {}

    /** Computed in every callback; the hash code of a record is too slow. */
    private record KeptKey(ExtensionContext context) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof KeptKey key && context.equals(key.context);
        }

        @Override
        public int hashCode() {
            return context.hashCode();
        }
    }

    private record ThreadKey(ExtensionContext context) {}

    private record UnattributedKey() {}

    private record RunKey() {}

    private record PromisesKey(ExtensionContext context, Method method) {}

    private record SummaryKey() {}

    /** The values of one context that need no closing. */
    private static final class Kept {

        /** The session that serves the context; another context may store it. */
        private volatile @Nullable SessionCheck serving;

        private volatile @Nullable TestAttribution attribution;
        private volatile @Nullable Object resolver;
        private volatile boolean isBound;
        private final ConfigurationCache.Lazy<Optional<TemplateInvocation>> invocation =
                new ConfigurationCache.Lazy<>();

        synchronized SessionCheck serving(Supplier<SessionCheck> find) {
            SessionCheck known = serving;
            if (known == null) {
                known = find.get();
                serving = known;
            }
            return known;
        }

        synchronized Object resolver(Object candidate) {
            Object first = resolver;
            if (first == null) {
                first = candidate;
                resolver = first;
            }
            return first;
        }
    }

    private final ExtensionContext context;
    private final Store store;
    private final Kept kept;

    private SessionStore(ExtensionContext context) {
        this.context = context;
        this.store = context.getStore(NAMESPACE);
        this.kept = store.getOrComputeIfAbsent(new KeptKey(context), unused -> new Kept(), Kept.class);
    }

    public static SessionStore of(ExtensionContext context) {
        return new SessionStore(context);
    }

    /** Returns the session that serves this context, which another context may store. */
    SessionCheck serving(Supplier<SessionCheck> find) {
        SessionCheck known = kept.serving;
        return known != null ? known : kept.serving(find);
    }

    /** Returns the session that serves this context, if it was requested before. */
    public Optional<SessionCheck> served() {
        return Optional.ofNullable(kept.serving);
    }

    /** Returns the running invocation, if this context is one of a MeshGuard template. */
    public Optional<TemplateInvocation> invocation() {
        return kept.invocation.orElseLook(() -> TemplateInvocations.of(context));
    }

    /** Returns the session that this context stores; it is closed with the context, after values stored later. */
    SessionCheck session(TrackingSettings settings, Supplier<SessionCheck> ifAbsent) {
        return store.getOrComputeIfAbsent(
                new SessionKey(context, settings), unused -> ifAbsent.get(), SessionCheck.class);
    }

    /** Returns the attribution of this test on a mesh that outlives it, if it has one. */
    public Optional<TestAttribution> attribution() {
        return Optional.ofNullable(kept.attribution);
    }

    /**
     * Opens an attribution for this test unless it has one; it is closed with the context, after values stored later.
     */
    void attribution(Supplier<TestAttribution> ifAbsent) {
        kept.attribution = store.getOrComputeIfAbsent(
                new AttributionKey(context), unused -> ifAbsent.get(), TestAttribution.class);
    }

    /**
     * Binds the calling thread to a session, unless it is bound; the binding is closed with the context, after values
     * stored later.
     */
    void bindThread(TrackingSession session) {
        if (!kept.isBound) {
            kept.isBound = true;
            store.put(new ThreadKey(context), (StoredResource) session.bindThread()::close);
        }
    }

    /** Stores the check of reports that no test receives; it is closed before the state of the execution. */
    static void unattributed(ExtensionContext context, Supplier<UnattributedCheck> ifAbsent) {
        context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(new UnattributedKey(), unused -> ifAbsent.get(), UnattributedCheck.class);
    }

    /** Returns the required expectations of a method; they are closed with the context, after values stored later. */
    MethodPromises promises(Method method, Supplier<MethodPromises> ifAbsent) {
        return store.getOrComputeIfAbsent(
                new PromisesKey(context, method), unused -> ifAbsent.get(), MethodPromises.class);
    }

    /** Returns the state of the whole execution; it is closed after everything else. */
    static SharedRunState run(ExtensionContext context, Supplier<SharedRunState> ifAbsent) {
        ExtensionContext root = context.getRoot();
        Store ofRoot = root.getStore(NAMESPACE);
        SummaryPublisher begun = ofRoot.get(new SummaryKey(), SummaryPublisher.class);
        if (begun != null) {
            return begun.run();
        }
        SharedRunState run = ofRoot.getOrComputeIfAbsent(new RunKey(), unused -> ifAbsent.get(), SharedRunState.class);
        ofRoot.getOrComputeIfAbsent(
                new SummaryKey(), unused -> new SummaryPublisher(root, run), SummaryPublisher.class);
        return run;
    }

    /** Returns whether the extension is the first caller: of two in one context only one may run one-time steps. */
    public boolean isResolver(Object extension) {
        Object first = kept.resolver;
        return extension == (first != null ? first : kept.resolver(extension));
    }
}
