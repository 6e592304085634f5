package dev.meshguard.junit;

import dev.meshguard.junit.internal.RunState;
import dev.meshguard.junit.internal.TemplateInvocation;
import dev.meshguard.junit.internal.TemplateInvocations;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
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
final class SessionStore {

    private static final Namespace NAMESPACE = Namespace.create(MeshGuardExtension.class);

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

    private record RunKey() {}

    private record PoliciesKey() {}

    private record PromisesKey(ExtensionContext context, Method method) {}

    private record SummaryKey() {}

    private record Fields(List<Field> fields) {}

    /** The values of one context that need no closing. */
    private static final class Kept {

        /** The session that serves the context; another context may store it. */
        private volatile @Nullable TrackingSession serving;

        private volatile @Nullable TestAttribution attribution;
        private volatile @Nullable MeshGuardExtension resolver;
        private final ConfigurationCache.Lazy<Optional<TemplateInvocation>> invocation =
                new ConfigurationCache.Lazy<>();

        synchronized TrackingSession serving(Supplier<TrackingSession> find) {
            TrackingSession known = serving;
            if (known == null) {
                known = find.get();
                serving = known;
            }
            return known;
        }

        synchronized MeshGuardExtension resolver(MeshGuardExtension candidate) {
            MeshGuardExtension first = resolver;
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

    static SessionStore of(ExtensionContext context) {
        return new SessionStore(context);
    }

    /** Returns the session that serves this context, which another context may store. */
    TrackingSession serving(Supplier<TrackingSession> find) {
        TrackingSession known = kept.serving;
        return known != null ? known : kept.serving(find);
    }

    /** Returns the session that serves this context, if it was requested before. */
    Optional<TrackingSession> served() {
        return Optional.ofNullable(kept.serving);
    }

    /** Returns the running invocation, if this context is one of a MeshGuard template. */
    Optional<TemplateInvocation> invocation() {
        return kept.invocation.orElseLook(() -> TemplateInvocations.of(context));
    }

    /** Returns the session that this context stores; it is closed with the context, after values stored later. */
    TrackingSession session(TrackingSettings settings, Supplier<TrackingSession> ifAbsent) {
        return store.getOrComputeIfAbsent(
                new SessionKey(context, settings), unused -> ifAbsent.get(), TrackingSession.class);
    }

    /** Returns the attribution of this test on a mesh that outlives it, if it has one. */
    Optional<TestAttribution> attribution() {
        return Optional.ofNullable(kept.attribution);
    }

    /**
     * Opens an attribution for this test unless it has one; it is closed with the context, after values stored later.
     */
    void attribution(Supplier<TestAttribution> ifAbsent) {
        kept.attribution = store.getOrComputeIfAbsent(
                new AttributionKey(context), unused -> ifAbsent.get(), TestAttribution.class);
    }

    /** Returns the required expectations of a method; they are closed with the context, after values stored later. */
    MethodPromises promises(Method method, Supplier<MethodPromises> ifAbsent) {
        return store.getOrComputeIfAbsent(
                new PromisesKey(context, method), unused -> ifAbsent.get(), MethodPromises.class);
    }

    /** Returns the state of the whole execution; it is closed after everything else. */
    static RunState run(ExtensionContext context, Supplier<RunState> ifAbsent) {
        ExtensionContext root = context.getRoot();
        Store ofRoot = root.getStore(NAMESPACE);
        SummaryPublisher begun = ofRoot.get(new SummaryKey(), SummaryPublisher.class);
        if (begun != null) {
            return begun.run();
        }
        RunState run = ofRoot.getOrComputeIfAbsent(new RunKey(), unused -> ifAbsent.get(), RunState.class);
        ofRoot.getOrComputeIfAbsent(
                new SummaryKey(), unused -> new SummaryPublisher(root, run), SummaryPublisher.class);
        return run;
    }

    /** Returns the policies of the configuration parameters, which are read once in an execution. */
    static PartialPolicy policies(ExtensionContext context, Supplier<PartialPolicy> ifAbsent) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(new PoliciesKey(), unused -> ifAbsent.get(), PartialPolicy.class);
    }

    /** Returns the cached settings of a location, for the whole execution. */
    static ConfigurationCache declarations(ExtensionContext context, ConfigurationCache.TestLocation place) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(place, unused -> new ConfigurationCache(), ConfigurationCache.class);
    }

    /** Returns the fields of a class that are injected for each test, looked up once in the whole execution. */
    static List<Field> fields(ExtensionContext context, Class<?> type, Supplier<List<Field>> look) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(type, unused -> new Fields(look.get()), Fields.class)
                .fields();
    }

    /** Returns whether the extension is the first caller: of two in one context only one may run one-time steps. */
    boolean isResolver(MeshGuardExtension extension) {
        MeshGuardExtension first = kept.resolver;
        return extension == (first != null ? first : kept.resolver(extension));
    }
}
