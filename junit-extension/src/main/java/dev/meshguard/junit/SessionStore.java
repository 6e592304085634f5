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
 * The values that one context keeps.
 *
 * <p>A look-up in a store goes on in the stores of the contexts around it, so that a test would be handed what its class
 * keeps. Keys therefore hold the context; its unique id would have to be put together for each test. What needs no closing is kept
 * together, because a look-up is a good part of what a test costs. This is the one place that calls what JUnit 6 renamed and JUnit 5
 * has.
 */
final class SessionStore {

    private static final Namespace NAMESPACE = Namespace.create(MeshGuardExtension.class);

    private record SessionKey(ExtensionContext context, TrackingSettings settings) {

        /** Settings have many parts, and one context hardly ever keeps meshes of two. */
        @Override
        public int hashCode() {
            return context.hashCode();
        }
    }

    private record AttributionKey(ExtensionContext context) {}

    /** Asked for in every callback, so what a record has by itself is not good enough. */
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

    /** What one context knows; closing its store closes nothing of it. */
    private static final class Kept {

        /** Which guard serves the context; another one may keep it. */
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

    /** Returns the guard that serves this context, which may be kept by another. */
    TrackingSession serving(Supplier<TrackingSession> find) {
        TrackingSession known = kept.serving;
        return known != null ? known : kept.serving(find);
    }

    /** Returns the guard that serves this context, if anything was asked of it. */
    Optional<TrackingSession> served() {
        return Optional.ofNullable(kept.serving);
    }

    /** Returns what runs in this context, if that is an invocation of one of our templates. */
    Optional<TemplateInvocation> invocation() {
        return kept.invocation.orElseLook(() -> TemplateInvocations.of(context));
    }

    /** Returns the guard that this context keeps; it is closed with the context, after what was stored later. */
    TrackingSession session(TrackingSettings settings, Supplier<TrackingSession> ifAbsent) {
        return store.getOrComputeIfAbsent(
                new SessionKey(context, settings), unused -> ifAbsent.get(), TrackingSession.class);
    }

    /** Returns the account of this test on a mesh that outlives it, if it has one. */
    Optional<TestAttribution> attribution() {
        return Optional.ofNullable(kept.attribution);
    }

    /** Opens an account for this test unless it has one; it is closed with the context, after what was stored later. */
    void attribution(Supplier<TestAttribution> ifAbsent) {
        kept.attribution = store.getOrComputeIfAbsent(
                new AttributionKey(context), unused -> ifAbsent.get(), TestAttribution.class);
    }

    /** Returns what is known of the promises of a method; it is closed with the context, after what was stored later. */
    MethodPromises promises(Method method, Supplier<MethodPromises> ifAbsent) {
        return store.getOrComputeIfAbsent(
                new PromisesKey(context, method), unused -> ifAbsent.get(), MethodPromises.class);
    }

    /** Returns the account of the whole execution; it is closed after everything else. */
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

    /** Returns what the configuration parameters say of policies, which are read once in an execution. */
    static PartialPolicy policies(ExtensionContext context, Supplier<PartialPolicy> ifAbsent) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(new PoliciesKey(), unused -> ifAbsent.get(), PartialPolicy.class);
    }

    /** Returns what is known of a place, for the whole execution. */
    static ConfigurationCache declarations(ExtensionContext context, ConfigurationCache.TestLocation place) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(place, unused -> new ConfigurationCache(), ConfigurationCache.class);
    }

    /** Returns the fields of a class that are to be filled for each test, looked for once in the whole execution. */
    static List<Field> fields(ExtensionContext context, Class<?> type, Supplier<List<Field>> look) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(type, unused -> new Fields(look.get()), Fields.class)
                .fields();
    }

    /** Returns whether the extension is the first that asked: of two in one context only one may do what is done once. */
    boolean isResolver(MeshGuardExtension extension) {
        MeshGuardExtension first = kept.resolver;
        return extension == (first != null ? first : kept.resolver(extension));
    }
}
