package dev.meshguard.junit;

import dev.meshguard.event.Phase;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.internal.MinimumVersions;
import dev.meshguard.junit.internal.TrackingExtension;
import dev.meshguard.junit.internal.check.SessionCheck;
import dev.meshguard.junit.internal.check.SessionOpener;
import dev.meshguard.junit.internal.check.SessionStore;
import dev.meshguard.junit.internal.check.TestAttribution;
import dev.meshguard.junit.internal.config.ExtensionSettings;
import dev.meshguard.junit.internal.config.TestConfiguration;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The JUnit extension that fails tests which leave device memory allocated; to be registered where
 * {@link TrackAllocations} cannot describe the settings.
 *
 * <pre>{@code
 * class KvCacheTest {
 *     @RegisterExtension
 *     static final MeshGuardExtension guard = MeshGuardExtension.builder()
 *             .source(FakeMeshSource.builder().mesh(1, 2).build())
 *             .build();
 * }
 * }</pre>
 *
 * <p>The field should be static. JUnit reads an instance field only after creating the instance, and then closes
 * closeable arguments after the check. Beside an annotation of MeshGuard that is too late for settings of a field: they are an error.
 *
 * <p>Use it only where an annotation is not enough, for example because the mesh depends on a system property. If an
 * annotation of a source is present too, its source wins. The expectations of annotations and of the extension all apply, and
 * each test is still checked once. Use {@link TrackAllocations} for lifetime, accounting and policies.
 *
 * <h2>How it works</h2>
 *
 * <p>The extension itself has no state, because one instance serves all tests, some of them concurrently. The state of
 * a test is a value in the test's store, put there before the test instance is created. The engine closes the values of
 * a store in inverse order. This value is therefore closed after everything that could still free a buffer, and also
 * when a constructor or another extension throws. The engine adds what closing throws to what the test threw.
 *
 * <p>A test on a mesh that outlives it has a record of its allocations in its store, closed in the same way. So has
 * each dynamic test of a {@code @TestFactory} on the mesh of its factory. {@code docs/lifecycle.md} describes all
 * cases.
 *
 * <h2>Limits</h2>
 *
 * <p>Arguments of a {@code @ParameterizedClass} are closed after all tests of the class, so after the check of each
 * test. Use lifetime CLASS if only they free a buffer.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MeshGuardExtension
        implements TrackingExtension,
                BeforeAllCallback,
                TestInstancePreConstructCallback,
                BeforeEachCallback,
                BeforeTestExecutionCallback,
                AfterTestExecutionCallback,
                AfterEachCallback,
                InvocationInterceptor,
                ParameterResolver,
                TestWatcher {

    private static final Scope NOTHING = () -> {};

    private final Optional<ExtensionSettings> settings;
    private final TestConfiguration configuration;
    private final SessionOpener opener;

    /**
     * Called by Jupiter for {@link TrackAllocations} and where extensions are detected; in code, use {@link #create()}.
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if this JUnit is older than Jupiter
     *     5.12.2, or the SLF4J older than 2.0
     */
    public MeshGuardExtension() {
        this(Optional.empty());
    }

    private MeshGuardExtension(Optional<ExtensionSettings> settings) {
        MinimumVersions.require();
        this.settings = settings;
        this.configuration = new TestConfiguration(settings, MeshGuardExtension::inStaticFields);
        this.opener = new SessionOpener(configuration);
    }

    /** Returns an extension with the defaults of {@link TrackAllocations}. */
    public static MeshGuardExtension create() {
        return builder().build();
    }

    /** Returns a builder for an extension with a source, expected buffers or budgets of its own. */
    public static Builder builder() {
        return new Builder();
    }

    /** Requests the context of the test when its instance is created, so that each test has values of its own. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext rootContext) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        opener.beforeAll(context, SessionStore.of(context));
    }

    @Override
    public void preConstructTestInstance(TestInstanceFactoryContext factoryContext, ExtensionContext context) {
        enter(context, SessionStore.of(context));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        SessionStore store = SessionStore.of(context);
        SessionCheck check = enter(context, store);
        store.test().begin();
        check.begin(Phase.SETUP);
        store.invocation().ifPresent(invocation -> invocation.begins(check.session()));
    }

    private SessionCheck enter(ExtensionContext context, SessionStore store) {
        if (!store.isResolver(this)) {
            configuration.rejectInstanceField(context);
        }
        return opener.enter(context, store);
    }

    @Override
    public void beforeTestExecution(ExtensionContext context) {
        checkOf(context).begin(Phase.TEST);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        SessionStore store = SessionStore.of(context);
        store.attribution().ifPresent(TestAttribution::bodyEnded);
        opener.checkOf(context, store).begin(Phase.TEARDOWN);
    }

    /** The survivors of a test that did not complete are unknown. */
    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
        excuse(context);
        opener.explainFrees(context, Optional.ofNullable(cause));
    }

    @Override
    public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
        testFailed(context, cause);
    }

    @Override
    public void testDisabled(ExtensionContext context, Optional<String> reason) {
        opener.excuseInvocation(context);
        excuse(context);
    }

    /** Matters only if the whole run is judged; a disabled test should create nothing. */
    private void excuse(ExtensionContext context) {
        if (context.getConfigurationParameter(ConfigurationKey.RUN.key()).isPresent()) {
            opener.excuse(context);
        }
    }

    /** Ends the phases of a mesh that continues; any other mesh keeps its last phase until it is checked. */
    @Override
    public void afterEach(ExtensionContext context) {
        SessionStore store = SessionStore.of(context);
        TrackingSession session = opener.checkOf(context, store).session();
        if (!session.isOf(context)) {
            session.endPhases();
        }
        session.run()
                .endedMethods()
                .add(
                        context.getRequiredTestClass(),
                        context.getRequiredTestMethod(),
                        store.test().hasCompleted());
    }

    /** An instance of all tests is created for its class, while tests of other classes may run. */
    @Override
    public <T> T interceptTestClassConstructor(
            Invocation<T> invocation,
            ReflectiveInvocationContext<Constructor<T>> invocationContext,
            ExtensionContext context)
            throws Throwable {
        return context.getTestMethod().isPresent()
                ? invocation.proceed()
                : proceedForAll(invocation, Optional.empty(), context);
    }

    @Override
    public void interceptBeforeAllMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        opener.enterClass(context, SessionStore.of(context));
        proceedForAll(invocation, Optional.of(invocationContext.getExecutable()), context);
    }

    @Override
    public void interceptAfterAllMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        proceedForAll(invocation, Optional.of(invocationContext.getExecutable()), context);
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    @Override
    public <T> T interceptTestFactoryMethod(
            Invocation<T> invocation, ReflectiveInvocationContext<Method> invocationContext, ExtensionContext context)
            throws Throwable {
        return proceed(invocation, context);
    }

    @Override
    public void interceptAfterEachMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        proceed(invocation, context);
    }

    /** Checks each dynamic test separately; callbacks surround only their factory. */
    @Override
    public void interceptDynamicTest(
            Invocation<Void> invocation, DynamicTestInvocationContext invocationContext, ExtensionContext context)
            throws Throwable {
        if (!SessionStore.of(context).isResolver(this)) {
            invocation.proceed();
            return;
        }
        ExtensionContext factory = factoryOf(context);
        SessionCheck check = checkOf(factory);
        RunningTest ofFactory = SessionStore.of(factory).running().orElseThrow();
        AtomicReference<Optional<Throwable>> thrown = new AtomicReference<>(Optional.empty());
        if (!check.session().checksEachDynamicTest()) {
            try (Scope bound = ofFactory.bind()) {
                proceed(invocation, factory, thrown);
            }
            return;
        }
        TrackedTest test = TrackedTest.dynamic(context, factory, thrown::get);
        RunningTest running = ofFactory.testInside(test.name(), context.getUniqueId());
        running.begin(Optional.empty());
        try (Scope bound = running.bind();
                TestAttribution attribution = opener.attributionOfDynamicTest(check, factory, context, test, running)) {
            proceed(invocation, factory, thrown);
        } finally {
            running.end();
        }
    }

    /** Runs a dynamic test; if it fails, its factory has not completed either. */
    private void proceed(
            Invocation<Void> dynamicTest, ExtensionContext factory, AtomicReference<Optional<Throwable>> thrown)
            throws Throwable {
        try {
            dynamicTest.proceed();
        } catch (Throwable ofTest) {
            thrown.set(Optional.of(ofTest));
            SessionStore.of(factory).test().failDynamicTest();
            excuse(factory);
            throw ofTest;
        }
    }

    /** Contexts of dynamic tests and containers have neither class nor method. */
    private static ExtensionContext factoryOf(ExtensionContext dynamic) {
        ExtensionContext around = dynamic;
        while (around.getTestMethod().isEmpty()) {
            around = around.getParent().orElseThrow();
        }
        return around;
    }

    /** A timeout may run a method on another thread, and may abandon it while it runs. */
    private <T> T proceed(Invocation<T> invocation, ExtensionContext context) throws Throwable {
        Optional<RunningTest> test = SessionStore.of(context).running();
        try (Scope bound = test.map(RunningTest::bind).orElse(NOTHING)) {
            return invocation.proceed();
        }
    }

    /** While methods of a class run, tests of other classes may run. */
    private <T> T proceedForAll(Invocation<T> invocation, Optional<Method> method, ExtensionContext context)
            throws Throwable {
        RunningTest code = opener.codeForAll(context, method);
        try (Scope bound = code.bind()) {
            return invocation.proceed();
        } finally {
            code.end();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameterContext, ExtensionContext context) {
        Class<?> type = parameterContext.getParameter().getType();
        return (type == AllocationTracker.class
                        || type == TestThreads.class
                        || TestConfiguration.sources(context).ofParameter(type).isPresent())
                && SessionStore.of(context).isResolver(this);
    }

    @Override
    public Object resolveParameter(ParameterContext parameterContext, ExtensionContext context) {
        Class<?> type = parameterContext.getParameter().getType();
        TrackingSession session = checkOf(context).session();
        if (type == TestThreads.class) {
            return new TestThreads(SessionStore.of(context).running().orElseGet(session::running));
        }
        return type == AllocationTracker.class ? session.handedOutTracker() : session.resolve(type);
    }

    private SessionCheck checkOf(ExtensionContext context) {
        return opener.checkOf(context, SessionStore.of(context));
    }

    private static List<ExtensionSettings> inStaticFields(Class<?> type) {
        return AnnotationSupport.findAnnotatedFieldValues(type, RegisterExtension.class, MeshGuardExtension.class)
                .stream()
                .flatMap(extension -> extension.settings.stream())
                .toList();
    }

    /** Configures the memory of a test and its check; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        /** Finds the class whose code lists the entries: the place to open if one of them is stale. */
        private static final StackWalker CALLERS = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

        private List<SourceSettings> sources = List.of();
        private GraceTimer timer = GraceTimer.ofMachine();
        private ExpectedBuffers expected = ExpectedBuffers.none();
        private final List<BudgetSpec> budgets = new ArrayList<>();

        private Builder() {}

        /**
         * Sets the sources that the tests examine, unless an annotation of a source does; by default those on the class
         * path that need no annotation.
         *
         * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if two settings are those of one source
         */
        public Builder source(SourceSettings newSource, SourceSettings... more) {
            List<SourceSettings> all = new ArrayList<>(List.of(newSource));
            all.addAll(Arrays.asList(more));
            Set<String> ids = new HashSet<>();
            all.stream()
                    .map(settings -> settings.source().id())
                    .filter(id -> !ids.add(id))
                    .findFirst()
                    .ifPresent(id -> {
                        throw ConfigurationErrors.of(
                                "MeshGuardExtension", "the source \"" + id + "\" twice", "Give its settings once.");
                    });
            sources = List.copyOf(all);
            return this;
        }

        /** Sets the clock for the wait for late frees. */
        Builder timer(GraceTimer newTimer) {
            timer = newTimer;
            return this;
        }

        /** Adds expected buffers, after those that annotations declare. */
        public Builder expecting(Expectation... more) {
            expected = expected.and(more);
            return this;
        }

        /** Adds budgets; one of an annotation for the same memory of the same device wins. */
        public Builder within(BudgetSpec... more) {
            budgets.addAll(Arrays.asList(more));
            return this;
        }

        /** Returns the extension. */
        public MeshGuardExtension build() {
            return new MeshGuardExtension(
                    Optional.of(new ExtensionSettings(CALLERS.getCallerClass(), sources, expected, budgets, timer)));
        }
    }
}
