package dev.meshguard.junit;

import dev.meshguard.event.Phase;
import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.internal.HistoryFolder;
import dev.meshguard.junit.internal.ReportSettings;
import dev.meshguard.junit.internal.Reporting;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.junit.internal.RunState;
import dev.meshguard.junit.internal.SupportedJUnit;
import dev.meshguard.junit.internal.TemplateInvocation;
import dev.meshguard.junit.internal.TemplateInvocations;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.junit.internal.UnknownParameters;
import dev.meshguard.junit.internal.pages.PageSettings;
import dev.meshguard.junit.internal.pages.RunPages;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.Strictness;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
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
 * Fails tests that leave device memory allocated; the programmatic form of {@link TrackAllocations}.
 *
 * <pre>{@code
 * class KvCacheTest {
 *     @RegisterExtension
 *     static final MeshGuardExtension guard = MeshGuardExtension.builder().mesh(1, 2).build();
 * }
 * }</pre>
 *
 * <p>The field should be static. JUnit reads an instance field only after creating the instance, and then closes
 * closeable arguments after the check.
 *
 * <p>Use it only where an annotation is not enough, for example because the mesh depends on a system property. If an
 * annotation is present too, the annotation wins, the expectations of both apply, and each test is still checked once.
 *
 * <h2>How it works</h2>
 *
 * <p>The extension itself has no state, because one instance serves all tests, some of them concurrently. The state of
 * a test is a value in the test's store, put there before the test instance is created. The engine closes the values of
 * a store in inverse order. This value is therefore closed after everything that could still free a buffer, and also
 * when a constructor or another extension throws. The engine adds what closing throws to what the test threw.
 *
 * <p>A test on a mesh that outlives it has a record of its allocations in its store, closed in the same way. So has
 * each dynamic test of a {@code @TestFactory} on the mesh of its factory. {@code docs/lifecycle-corners.md} describes all
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
        implements BeforeAllCallback,
                TestInstancePreConstructCallback,
                BeforeEachCallback,
                BeforeTestExecutionCallback,
                AfterTestExecutionCallback,
                AfterEachCallback,
                InvocationInterceptor,
                ParameterResolver,
                TestWatcher {

    private static final Scope NOTHING = () -> {};

    private final TrackingSettings settings;
    private final ExpectedBuffers expected;
    private final List<BudgetSpec> budgets;
    private final PartialPolicy policies;
    private final GraceTimer timer;
    private final boolean isBuilt;

    /**
     * Called by Jupiter for {@link TrackAllocations} and where extensions are detected; in code, use {@link #create()}.
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if this JUnit is older than Jupiter
     *     5.12.2
     */
    public MeshGuardExtension() {
        this(builder(), false);
    }

    private MeshGuardExtension(Builder builder, boolean isBuilt) {
        SupportedJUnit.require();
        this.settings = builder.settings().checked("MeshGuardExtension");
        this.expected = AnnotationReader.inField(builder.expected);
        this.budgets = List.copyOf(builder.budgets);
        this.policies = builder.policies;
        this.timer = builder.timer;
        this.isBuilt = isBuilt;
    }

    /** Returns an extension with the defaults of {@link TrackAllocations}. */
    public static MeshGuardExtension create() {
        return builder().build();
    }

    /** Returns an extension for tests of other processes; see {@link MemorySource#PROCESSES}. */
    public static MeshGuardExtension processes() {
        return builder().source(MemorySource.PROCESSES).build();
    }

    /** Returns a builder for an extension with other settings. */
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
        if (SessionStore.of(context).isResolver(this)) {
            TrackedFields.fill(context.getRequiredTestClass(), () -> sessionOf(context));
        }
    }

    @Override
    public void preConstructTestInstance(TestInstanceFactoryContext factoryContext, ExtensionContext context) {
        enter(context, SessionStore.of(context));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        SessionStore store = SessionStore.of(context);
        TrackingSession session = enter(context, store);
        if (session.countsRounds()) {
            Repetition.of(context).ifPresent(round -> session.beginRound(context.getUniqueId(), round));
        }
        session.begin(Phase.SETUP);
        if (store.isResolver(this)) {
            TrackedFields.fill(context, session);
        }
        store.invocation().ifPresent(invocation -> invocation.begins(session));
    }

    @Override
    public void beforeTestExecution(ExtensionContext context) {
        sessionOf(context).begin(Phase.TEST);
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        SessionStore store = SessionStore.of(context);
        store.attribution().ifPresent(TestAttribution::bodyEnded);
        sessionOf(context, store).begin(Phase.TEARDOWN);
    }

    /** The survivors of a test that did not complete are unknown. */
    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
        excuse(context);
    }

    @Override
    public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
        excuse(context);
    }

    @Override
    public void testDisabled(ExtensionContext context, Optional<String> reason) {
        excuse(context);
    }

    /** Matters only if the whole run is judged; a disabled test should create nothing. */
    private void excuse(ExtensionContext context) {
        if (context.getConfigurationParameter(RunSettings.RUN).isPresent()) {
            runOf(context).excuse(expectedIn(context, declarations(context)));
        }
    }

    /** Ends the phases of a mesh that continues; any other mesh keeps its last phase until it is checked. */
    @Override
    public void afterEach(ExtensionContext context) {
        TrackingSession session = sessionOf(context);
        if (session.countsRounds()) {
            session.endRound(context.getUniqueId());
        }
        if (!session.isOf(context)) {
            session.endPhases();
        }
    }

    @Override
    public void interceptBeforeAllMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        proceedForAll(invocation, context);
    }

    @Override
    public void interceptAfterAllMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> invocationContext,
            ExtensionContext context)
            throws Throwable {
        proceedForAll(invocation, context);
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
        ExtensionContext factory = factoryOf(context);
        TrackingSession session = sessionOf(factory);
        if (!session.checksEachDynamicTest() || !SessionStore.of(context).isResolver(this)) {
            invocation.proceed();
            return;
        }
        AtomicReference<Optional<Throwable>> thrown = new AtomicReference<>(Optional.empty());
        TestAttribution attribution =
                attributionOfDynamicTest(session, factory, context, TrackedTest.dynamic(context, factory, thrown::get));
        try {
            invocation.proceed();
        } catch (Throwable ofTest) {
            thrown.set(Optional.of(ofTest));
            closeBeside(attribution, ofTest);
            throw ofTest;
        }
        attribution.close();
    }

    @SuppressWarnings("ReferenceEquality") // An error cannot suppress itself.
    private static void closeBeside(TestAttribution attribution, Throwable ofTest) {
        try {
            attribution.close();
        } catch (Throwable ofCheck) {
            if (ofCheck != ofTest) {
                ofTest.addSuppressed(ofCheck);
            }
        }
    }

    private TestAttribution attributionOfDynamicTest(
            TrackingSession session, ExtensionContext factory, ExtensionContext dynamic, TrackedTest test) {
        ExpectedBuffers mayStay = expectedBy(factory, session.run());
        BudgetCheck noBudgets = new BudgetCheck(List.of());
        Optional<MethodPromises> promises =
                promisesOf(factory, declarations(factory), settingsOf(factory).policies());
        promises.ifPresent(ofAll -> ofAll.begin(dynamic));
        return SessionStore.of(factory)
                .attribution()
                .map(ofFactory -> ofFactory.openPart(mayStay, noBudgets, test, promises))
                .orElseGet(() -> TestAttribution.open(session, mayStay, noBudgets, session.policies(), test, promises));
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
        SessionStore store = SessionStore.of(context);
        try (Scope body = bodyOf(context, sessionOf(context, store), store.attribution())) {
            return invocation.proceed();
        }
    }

    private static Scope bodyOf(
            ExtensionContext context, TrackingSession session, Optional<TestAttribution> attribution) {
        if (attribution.isPresent()) {
            return attribution.get().body();
        }
        return session.isOf(context) ? session.body() : NOTHING;
    }

    /**
     * While methods of a class run, tests of other classes may run; the thread must not count as a helper of one of
     * them.
     */
    private static void proceedForAll(Invocation<Void> invocation, ExtensionContext context) throws Throwable {
        try (Scope forAll =
                SessionStore.of(context).served().map(TrackingSession::forAll).orElse(NOTHING)) {
            invocation.proceed();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameterContext, ExtensionContext context) {
        return InjectableTypes.has(parameterContext.getParameter().getType())
                && SessionStore.of(context).isResolver(this);
    }

    @Override
    public Object resolveParameter(ParameterContext parameterContext, ExtensionContext context) {
        return InjectableTypes.of(parameterContext.getParameter().getType(), sessionOf(context));
    }

    /** Opens the attribution of a test whose mesh outlives it. */
    private TrackingSession enter(ExtensionContext context, SessionStore store) {
        TrackingSession session = sessionOf(context, store);
        if (session.checksEachTest() && context.getTestMethod().isPresent()) {
            ConfigurationCache declared = declarations(context);
            CheckPolicy policies = settingsOf(context).policies();
            Optional<MethodPromises> promises = promisesOf(context, declared, policies);
            store.attribution(() -> TestAttribution.open(
                    session,
                    expectedBy(context, session.run(), declared),
                    new BudgetCheck(budgetsOf(context, declared)),
                    policies,
                    TrackedTest.of(context),
                    promises));
        }
        return session;
    }

    private TrackingSession sessionOf(ExtensionContext context) {
        return sessionOf(context, SessionStore.of(context));
    }

    private TrackingSession sessionOf(ExtensionContext context, SessionStore store) {
        Optional<TrackingSession> served = store.served();
        return served.isPresent() ? served.get() : store.serving(() -> findSession(context, store));
    }

    private TrackingSession findSession(ExtensionContext context, SessionStore store) {
        Optional<TemplateInvocation> template = store.invocation();
        template.ifPresent(invocation -> TemplateInvocations.awaitEnd(context, invocation));
        ConfigurationCache declared = declarations(context);
        TrackingSettings asked = settingsOf(context, declared, template);
        ExtensionContext owner = ownerOf(context, asked, template);
        ConfigurationCache ofOwner = owner == context ? declared : declarations(owner);
        RunState run = ofOwner.run.orElseLook(() -> runOf(owner));
        // Opened before the mesh of a factory, so that it is closed after the mesh.
        Optional<MethodPromises> promises =
                owner == context ? promisesOf(context, declared, asked.policies()) : Optional.empty();
        return (owner == context ? store : SessionStore.of(owner))
                .session(asked.ofMesh(), () -> newSession(owner, asked, run, ofOwner, template, promises));
    }

    /**
     * Returns the combined expectations for all invocations of a method, if it has several and any requires a match.
     */
    private Optional<MethodPromises> promisesOf(
            ExtensionContext context, ConfigurationCache declared, CheckPolicy policies) {
        ExpectedBuffers expected = expectedIn(context, declared);
        if (context.getTestMethod().isEmpty()
                || policies.check() == AllocationCheck.NONE
                || MethodPromises.promised(expected).isEmpty()) {
            return Optional.empty();
        }
        Optional<MethodPromises> ofAll = Invocations.around(context)
                .map(around -> SessionStore.of(around)
                        .promises(
                                context.getRequiredTestMethod(),
                                () -> new MethodPromises(TrackedTest.of(context), expected)));
        ofAll.ifPresent(promises -> promises.begin(context));
        return ofAll;
    }

    private TrackingSession newSession(
            ExtensionContext owner,
            TrackingSettings asked,
            RunState run,
            ConfigurationCache declared,
            Optional<TemplateInvocation> template,
            Optional<MethodPromises> promises) {
        return new TrackingSession(
                settingsOfMesh(owner, asked),
                expectedByOwner(owner, run, declared),
                promises,
                new BudgetCheck(budgetsOf(owner, declared)),
                run,
                speakersFor(owner, declared).get(0).timer,
                owner,
                declared.subject,
                template);
    }

    /** The settings of the mesh's owner apply to memory for which the tests are not responsible. */
    private TrackingSettings settingsOfMesh(ExtensionContext owner, TrackingSettings asked) {
        return asked.checksEachTest()
                ? asked.with(policiesOf(owner).withOrigins(asked.policies().origins()))
                : asked;
    }

    private static RunState runOf(ExtensionContext context) {
        return SessionStore.run(
                context,
                () -> convertingErrors(() -> RunState.begin(
                        RunSettings.of(context::getConfigurationParameter, System.getenv()),
                        new Reporting(
                                ReportSettings.of(context::getConfigurationParameter),
                                HistoryFolder.of(context::getConfigurationParameter),
                                RunPages.begin(
                                        PageSettings.of(context::getConfigurationParameter),
                                        System.getenv(),
                                        System::getProperty,
                                        System.currentTimeMillis()),
                                System::nanoTime))));
    }

    private static PartialPolicy parametersOf(ExtensionContext context) {
        return SessionStore.policies(
                context,
                () -> convertingErrors(() -> {
                    new UnknownParameters(ConfigurationKey.keys())
                            .reject(loaderOfTests(), System.getProperties(), context::getConfigurationParameter);
                    return ConfigurationKey.policies(context::getConfigurationParameter);
                }));
    }

    /** The class loader with which JUnit looks for its file. */
    private static ClassLoader loaderOfTests() {
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        return ofThread == null ? ClassLoader.getSystemClassLoader() : ofThread;
    }

    private static <T> T convertingErrors(Supplier<T> read) {
        try {
            return read.get();
        } catch (IllegalArgumentException refusal) {
            throw new ExtensionConfigurationException(refusal.getMessage(), refusal);
        }
    }

    private TrackingSettings settingsOf(ExtensionContext context) {
        return settingsOf(
                context, declarations(context), SessionStore.of(context).invocation());
    }

    private TrackingSettings settingsOf(
            ExtensionContext context, ConfigurationCache declared, Optional<TemplateInvocation> template) {
        TrackingSettings asked = declared.settings.orElseLook(() -> settingsIn(context));
        return template.isPresent() ? asked.in(template.get()) : asked;
    }

    private TrackingSettings settingsIn(ExtensionContext context) {
        return AnnotationReader.settings(context)
                .orElseGet(() -> speakersFor(context).get(0).settings)
                .with(policiesOf(context));
    }

    /** The only rule of precedence: for each policy, the nearest location that sets it. */
    private CheckPolicy policiesOf(ExtensionContext context) {
        return declarations(context).policies.orElseLook(() -> policiesIn(context));
    }

    private CheckPolicy policiesIn(ExtensionContext context) {
        PartialPolicy all = PolicyAnnotations.annotated(context);
        if (context.getTestClass().isPresent()) {
            for (MeshGuardExtension speaker : speakersFor(context)) {
                all = all.or(speaker.policies);
            }
        }
        return all.or(parametersOf(context)).orDefaults();
    }

    /** An extension in an instance field serves one test: a cached value would never be used again. */
    private ConfigurationCache declarations(ExtensionContext context) {
        return isBuilt ? new ConfigurationCache() : ConfigurationCache.of(this, context);
    }

    /** Entries of files come last: the nearer an entry is to a test, the more specific it is. */
    private ExpectedBuffers expectedBy(ExtensionContext owner, RunState run) {
        return expectedBy(owner, run, declarations(owner));
    }

    private ExpectedBuffers expectedBy(ExtensionContext owner, RunState run, ConfigurationCache declared) {
        ExpectedBuffers all = expectedIn(owner, declared);
        if (policiesOf(owner).check() != AllocationCheck.NONE) {
            run.expect(all);
        }
        return all.and(run.expected());
    }

    private ExpectedBuffers expectedIn(ExtensionContext owner, ConfigurationCache declared) {
        return declared.expected.orElseLook(() -> expectedInTests(owner));
    }

    private ExpectedBuffers expectedInTests(ExtensionContext owner) {
        ExpectedBuffers all = AnnotationReader.expected(owner);
        for (MeshGuardExtension speaker : speakersFor(owner)) {
            all = all.and(speaker.expected);
        }
        return all;
    }

    /** For a suite, only entries of the whole run apply. */
    private ExpectedBuffers expectedByOwner(ExtensionContext owner, RunState run, ConfigurationCache declared) {
        return owner.getTestClass().isPresent() ? expectedBy(owner, run, declared) : run.expected();
    }

    private List<BudgetSpec> budgetsOf(ExtensionContext owner, ConfigurationCache declared) {
        return declared.budgets.orElseLook(() -> BudgetAnnotations.budgets(
                owner,
                speakersFor(owner, declared).stream()
                        .flatMap(speaker -> speaker.budgets.stream())
                        .toList()));
    }

    /**
     * Returns the extensions in static fields, the nearest first. Their settings count even if an annotation made the
     * engine register another extension, which may be called before them. Without any, this extension is the only one.
     */
    private List<MeshGuardExtension> speakersFor(ExtensionContext context) {
        return speakersFor(context, declarations(context));
    }

    private List<MeshGuardExtension> speakersFor(ExtensionContext context, ConfigurationCache declared) {
        return declared.speakers.orElseLook(() -> findSpeakersFor(context));
    }

    private List<MeshGuardExtension> findSpeakersFor(ExtensionContext context) {
        List<Class<?>> nearestFirst = new ArrayList<>(context.getEnclosingTestClasses());
        context.getTestClass().ifPresent(nearestFirst::add);
        Collections.reverse(nearestFirst);
        List<MeshGuardExtension> speakers = new ArrayList<>();
        for (Class<?> type : nearestFirst) {
            speakers.addAll(AnnotationSupport.findAnnotatedFieldValues(
                    type, RegisterExtension.class, MeshGuardExtension.class));
        }
        if (!speakers.contains(this) && (isBuilt || speakers.isEmpty())) {
            speakers.add(0, this);
        }
        return speakers;
    }

    /**
     * Returns the context whose end triggers the check: the test's, that of the outermost class with the same settings,
     * or that of the run.
     */
    private ExtensionContext ownerOf(
            ExtensionContext context, TrackingSettings asked, Optional<TemplateInvocation> template) {
        if (template.isPresent() && template.get().sharesMesh()) {
            return context.getParent().orElseThrow();
        }
        if (asked.lifetime() == TrackingLifetime.TEST) {
            return context;
        }
        boolean eachForItself = asked.checksEachTest();
        ExtensionContext owner = context;
        if (owner.getTestMethod().isPresent()) {
            PolicyAnnotations.rejectOnMethod(owner, asked);
        }
        if (owner.getTestMethod().isPresent() && !eachForItself) {
            AnnotationReader.rejectOnMethod(owner, asked.lifetime());
            BudgetAnnotations.rejectOnMethod(owner, asked.lifetime());
        }
        Optional<ExtensionContext> outer = owner.getParent();
        while (outer.isPresent() && outer.get().getTestClass().isPresent() && asksForTheSame(outer.get(), asked)) {
            if (!eachForItself) {
                AnnotationReader.rejectOnNested(owner, outer.get());
                BudgetAnnotations.rejectOnNested(owner, outer.get());
            }
            owner = outer.get();
            outer = owner.getParent();
        }
        if (asked.lifetime() == TrackingLifetime.CLASS) {
            return owner;
        }
        if (!eachForItself) {
            AnnotationReader.rejectOnClass(owner);
            BudgetAnnotations.rejectOnClass(owner);
            rejectInFields(owner);
        }
        return owner.getRoot();
    }

    private void rejectInFields(ExtensionContext owner) {
        for (MeshGuardExtension speaker : speakersFor(owner)) {
            if (!speaker.expected.entries().isEmpty() || !speaker.budgets.isEmpty()) {
                throw TrackingSettings.rejected(
                        "MeshGuardExtension in " + TestNames.of(owner.getRequiredTestClass()),
                        "what one class expects or allows of a mesh with lifetime = SUITE",
                        "Let each test answer for itself with accounting(EACH_TEST).");
            }
        }
    }

    private boolean asksForTheSame(ExtensionContext outer, TrackingSettings asked) {
        return outer.getTestMethod().isPresent() || settingsOf(outer).ofMesh().equals(asked.ofMesh());
    }

    /** Configures the mesh of a test and its check; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private MemorySource source = MemorySource.FAKE;
        private int rows = 2;
        private int columns = 4;
        private Architecture architecture = Architecture.WORMHOLE_B0;
        private RuntimePreset preset = RuntimePreset.MAY_2026;
        private Optional<ReportingModel> reporting = Optional.empty();
        private final EnumSet<RuntimeDefect> defects = EnumSet.noneOf(RuntimeDefect.class);
        private Strictness strictness = Strictness.LENIENT;
        private HandleRelease handleRelease = HandleRelease.EXPLICIT;
        private FaultPlan faults = FaultPlan.none();
        private MeshDeviceOptions opening = MeshDeviceOptions.defaults();
        private final List<Consumer<Ttnn.Builder>> runtime = new ArrayList<>();
        private TrackingLifetime lifetime = TrackingLifetime.TEST;
        private Accounting accounting = Accounting.AT_THE_END;
        private PartialPolicy policies = PartialPolicy.NONE;
        private GraceTimer timer = GraceTimer.ofMachine();
        private ExpectedBuffers expected = ExpectedBuffers.none();
        private final List<BudgetSpec> budgets = new ArrayList<>();

        private Builder() {}

        /** Sets the memory that the tests examine; {@link MemorySource#FAKE} by default. */
        public Builder source(MemorySource newSource) {
            source = newSource;
            return this;
        }

        /** Sets the shape of the mesh, which is the whole system; 2x4 by default. */
        public Builder mesh(int newRows, int newColumns) {
            rows = newRows;
            columns = newColumns;
            return this;
        }

        /** Sets the chip architecture; {@link Architecture#WORMHOLE_B0} by default. */
        public Builder architecture(Architecture newArchitecture) {
            architecture = newArchitecture;
            return this;
        }

        /** Sets the version of the runtime; {@link RuntimePreset#MAY_2026} by default. */
        public Builder preset(RuntimePreset newPreset) {
            preset = newPreset;
            return this;
        }

        /** Sets what the runtime reports; the model of the version by default. */
        public Builder reporting(ReportingModel newReporting) {
            reporting = Optional.of(newReporting);
            return this;
        }

        /** Adds defects of the runtime. */
        public Builder defects(RuntimeDefect... more) {
            defects.addAll(Arrays.asList(more));
            return this;
        }

        /** Makes invalid calls an error that the real runtime accepts. */
        public Builder strict() {
            strictness = Strictness.STRICT;
            return this;
        }

        /** Sets whether collected handles free what they held; {@link HandleRelease#EXPLICIT} by default. */
        public Builder handleRelease(HandleRelease newRelease) {
            handleRelease = newRelease;
            return this;
        }

        /** Sets the faults at run time; none by default. */
        public Builder faults(FaultPlan plan) {
            faults = plan;
            return this;
        }

        /** Sets the other arguments with which the mesh of a test is opened; its shape is that of {@link #mesh}. */
        public Builder opening(MeshDeviceOptions options) {
            opening = options;
            return this;
        }

        /**
         * Adds settings of the runtime that have no method here, for example
         * {@code runtime -> runtime.systemBuffer(…)}.
         *
         * @param choice applied to every test's runtime after all other settings of this builder
         */
        public Builder runtime(Consumer<Ttnn.Builder> choice) {
            runtime.add(choice);
            return this;
        }

        /** Sets how long a mesh lasts; {@link TrackingLifetime#TEST} by default. */
        public Builder lifetime(TrackingLifetime newLifetime) {
            lifetime = newLifetime;
            return this;
        }

        /**
         * Sets who is responsible for memory that a test leaves allocated on a mesh that outlives it;
         * {@link Accounting#AT_THE_END} by default.
         */
        public Builder accounting(Accounting newAccounting) {
            accounting = newAccounting;
            return this;
        }

        /** Sets the condition that must hold at the end, unless an {@link AllocationPolicy} sets it; see there. */
        public Builder check(AllocationCheck newCheck) {
            policies = policies.check(newCheck);
            return this;
        }

        /** Sets the calls whose stacks are captured, unless an {@link AllocationPolicy} sets it; see there. */
        public Builder origins(OriginCapture newOrigins) {
            policies = policies.origins(newOrigins);
            return this;
        }

        /** Sets how the check of a failed test is handled, unless an {@link AllocationPolicy} sets it; see there. */
        public Builder onFailure(IncompleteTestPolicy newPolicy) {
            policies = policies.onFailure(newPolicy);
            return this;
        }

        /** Sets how the check of an aborted test is handled, unless an {@link AllocationPolicy} sets it; see there. */
        public Builder onAbort(IncompleteTestPolicy newPolicy) {
            policies = policies.onAbort(newPolicy);
            return this;
        }

        /**
         * Sets how a test that frees buffers after close began is handled, unless an {@link AllocationPolicy} sets it;
         * see there.
         */
        public Builder lateFrees(LateFrees newPolicy) {
            policies = policies.lateFrees(newPolicy);
            return this;
        }

        /**
         * Sets the longest wait for late frees, unless an {@link AllocationPolicy} sets it; see there.
         *
         * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if it is negative or above ten
         *     minutes
         */
        public Builder grace(Duration atMost) {
            GracePeriod.errorOf(atMost).ifPresent(allowed -> {
                throw TrackingSettings.rejected("MeshGuardExtension", "grace = " + atMost, allowed);
            });
            policies = policies.grace(atMost);
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

        /**
         * Returns the extension.
         *
         * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if there is no such mesh
         */
        public MeshGuardExtension build() {
            return new MeshGuardExtension(this, true);
        }

        private TrackingSettings settings() {
            return new TrackingSettings(
                    source,
                    rows,
                    columns,
                    architecture,
                    preset,
                    reporting,
                    defects,
                    strictness,
                    handleRelease,
                    faults,
                    opening,
                    runtime,
                    lifetime,
                    accounting,
                    CheckPolicy.DEFAULTS);
        }
    }
}
