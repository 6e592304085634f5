package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.internal.Lazy;
import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.config.TrackingSettings;
import dev.meshguard.junit.internal.run.SharedRunState;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.tracker.Scope;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Keeps MeshGuard's values in the JUnit store of one context.
 *
 * <p>A look-up in a store continues in the stores of the enclosing contexts, so a test would get the value of its
 * class. Keys therefore contain the context; its unique id would have to be built for each test. Values that need no
 * closing are fields of one value, because a look-up is a large part of the cost of a test. Only this class calls methods
 * that JUnit 6 renamed.
 */
public final class SessionStore {

    private static final Namespace NAMESPACE = Namespace.create(SessionStore.class);

    /**
     * The key of a value, which is one of a kind in a context. Compared in every callback, where the methods of a record are
     * too slow; the hash code leaves out the kind, because settings have many components.
     */
    private record Key(ExtensionContext context, Object kind) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && context.equals(key.context) && kind.equals(key.kind);
        }

        @Override
        public int hashCode() {
            return context.hashCode();
        }
    }

    private final ExtensionContext context;
    private final TrackedTest test;
    private final AtomicReference<@Nullable Object> resolver = new AtomicReference<>();
    private final Lazy<Optional<TemplateInvocation>> invocation = new Lazy<>();

    /** The check of the session that serves the context; another context may store it. */
    private @Nullable SessionCheck serving;

    private volatile @Nullable TestAttribution attribution;
    private volatile @Nullable RunningTest running;

    private SessionStore(ExtensionContext context) {
        this.context = context;
        this.test = TrackedTest.of(context);
    }

    /** Returns the values of a context. */
    public static SessionStore of(ExtensionContext context) {
        return value(context, SessionStore.class, SessionStore.class, () -> new SessionStore(context));
    }

    /** Returns the value of a kind of a context; it is closed with the context, after values stored later. */
    private static <V> V value(ExtensionContext context, Object kind, Class<V> type, Supplier<V> ifAbsent) {
        return context.getStore(NAMESPACE).getOrComputeIfAbsent(new Key(context, kind), unused -> ifAbsent.get(), type);
    }

    /** Returns the test, class or run of this context. */
    public TrackedTest test() {
        return test;
    }

    /** Returns the check of the session that serves this context, which another context may store. */
    synchronized SessionCheck serving(Supplier<SessionCheck> find) {
        SessionCheck known = serving;
        if (known == null) {
            known = find.get();
            serving = known;
        }
        return known;
    }

    /** Returns the session that serves this context, if it was requested before. */
    public synchronized Optional<TrackingSession> session() {
        return Optional.ofNullable(serving).map(SessionCheck::session);
    }

    /** Returns the running invocation, if this context is one of a MeshGuard template. */
    public Optional<TemplateInvocation> invocation() {
        return invocation.computeIfAbsent(() -> TemplateInvocation.of(context));
    }

    /** Returns the check of a session that this context stores; it is closed with the context, after values stored later. */
    SessionCheck check(TrackingSettings settings, Supplier<SessionCheck> ifAbsent) {
        return value(context, settings, SessionCheck.class, ifAbsent);
    }

    /** Returns the attribution of this test on a mesh that outlives it, if it has one. */
    public Optional<TestAttribution> attribution() {
        return Optional.ofNullable(attribution);
    }

    /**
     * Opens an attribution for this test unless it has one; it is closed with the context, after values stored later.
     */
    void attribution(Supplier<TestAttribution> ifAbsent) {
        attribution = value(context, TestAttribution.class, TestAttribution.class, ifAbsent);
    }

    /** Returns the test that runs in this context. */
    public Optional<RunningTest> running() {
        return Optional.ofNullable(running);
    }

    /** Stores the test that runs in this context. */
    void running(RunningTest test) {
        running = test;
    }

    /** Keeps a scope open until the context ends; it is closed after values stored later. The first one counts. */
    void keep(Supplier<Scope> scope) {
        value(context, StoredResource.class, StoredResource.class, () -> scope.get()::close);
    }

    /** Returns the required expectations of a method; they are closed with the context, after values stored later. */
    RequiredMatches requiredMatches(Method method, Supplier<RequiredMatches> ifAbsent) {
        return value(context, method, RequiredMatches.class, ifAbsent);
    }

    /** Returns the state of the whole execution; it is closed after everything else. */
    static SharedRunState run(ExtensionContext context, Supplier<SharedRunState> ifAbsent) {
        return value(context.getRoot(), SharedRunState.class, SharedRunState.class, ifAbsent);
    }

    /** Returns whether the extension is the first caller: of two in one context only one may run one-time steps. */
    public boolean isResolver(Object extension) {
        Object first = resolver.compareAndExchange(null, extension);
        return first == null || first == extension;
    }
}
