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
 * Fails tests that leave device memory allocated: {@link TrackAllocations} for whoever sets things up in code.
 *
 * <pre>{@code
 * class KvCacheTest {
 *     @RegisterExtension
 *     static final MeshGuardExtension guard = MeshGuardExtension.builder().mesh(1, 2).build();
 * }
 * }</pre>
 *
 * <p>The field should be static: an instance field is read when the instance is made already, and closeable arguments are
 * then closed after the check.
 *
 * <p>Needed only where an annotation cannot say it, for example because the mesh depends on a system property. Where an
 * annotation is present, too, the annotation counts, what either expects may stay, and each test is still checked once.
 *
 * <h2>How it works</h2>
 *
 * <p>The extension itself is without state, as one instance serves all tests, some of them at the same time. What belongs
 * to a test is a value of the test's store, put there before the test's instance is made: the engine closes the values of
 * a store in inverse order, so this one is closed after everything that could still free a buffer, and also when a
 * constructor or another extension throws. The engine adds what closing throws to what the test threw.
 *
 * <p>A test on a mesh that outlives it has an account there, of the same kind; and so has each dynamic test of a
 * {@code @TestFactory} on the mesh of its factory. {@code docs/lifecycle.md} goes through every corner.
 *
 * <h2>Limits</h2>
 *
 * <p>Arguments of a {@code @ParameterizedClass} are closed when all tests of the class are over, so after the check of each test: what
 * only they free needs a mesh of lifetime CLASS.
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
     * Called by Jupiter for {@link TrackAllocations} and where extensions are detected; in code, {@link #create()} is meant.
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if this JUnit is older than Jupiter 5.12.2
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

    /** Starts an extension with other settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** Asks for the context of the test when its instance is made, so that each test has values of its own. */
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
        TrackingSession guard = enter(context, store);
        if (guard.countsRounds()) {
            Repetition.of(context).ifPresent(round -> guard.beginRound(context.getUniqueId(), round));
        }
        guard.begin(Phase.SETUP);
        if (store.isResolver(this)) {
            TrackedFields.fill(context, guard);
        }
        store.invocation().ifPresent(invocation -> invocation.begins(guard));
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

    /** What a test that did not come to its end would have left is not known. */
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

    /** Only where the whole run is judged does it matter, and a test that is disabled should begin nothing. */
    private void excuse(ExtensionContext context) {
        if (context.getConfigurationParameter(RunSettings.RUN).isPresent()) {
            runOf(context).excuse(expectedIn(context, declarations(context)));
        }
    }

    /** Ends the phases of a mesh that goes on; another one keeps its last until it is checked. */
    @Override
    public void afterEach(ExtensionContext context) {
        TrackingSession guard = sessionOf(context);
        if (guard.countsRounds()) {
            guard.endRound(context.getUniqueId());
        }
        if (!guard.isOf(context)) {
            guard.endPhases();
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

    /** Checks each dynamic test by itself; callbacks surround their factory only. */
    @Override
    public void interceptDynamicTest(
            Invocation<Void> invocation, DynamicTestInvocationContext invocationContext, ExtensionContext context)
            throws Throwable {
        ExtensionContext factory = factoryOf(context);
        TrackingSession guard = sessionOf(factory);
        if (!guard.checksEachDynamicTest() || !SessionStore.of(context).isResolver(this)) {
            invocation.proceed();
            return;
        }
        AtomicReference<Optional<Throwable>> thrown = new AtomicReference<>(Optional.empty());
        TestAttribution account =
                attributionOfDynamicTest(guard, factory, context, TrackedTest.dynamic(context, factory, thrown::get));
        try {
            invocation.proceed();
        } catch (Throwable ofTest) {
            thrown.set(Optional.of(ofTest));
            closeBeside(account, ofTest);
            throw ofTest;
        }
        account.close();
    }

    @SuppressWarnings("ReferenceEquality") // An error cannot be suppressed in itself.
    private static void closeBeside(TestAttribution account, Throwable ofTest) {
        try {
            account.close();
        } catch (Throwable ofCheck) {
            if (ofCheck != ofTest) {
                ofTest.addSuppressed(ofCheck);
            }
        }
    }

    private TestAttribution attributionOfDynamicTest(
            TrackingSession guard, ExtensionContext factory, ExtensionContext dynamic, TrackedTest test) {
        ExpectedBuffers mayStay = expectedBy(factory, guard.run());
        BudgetCheck noBudgets = new BudgetCheck(List.of());
        Optional<MethodPromises> promises =
                promisesOf(factory, declarations(factory), settingsOf(factory).policies());
        promises.ifPresent(ofAll -> ofAll.begin(dynamic));
        return SessionStore.of(factory)
                .attribution()
                .map(ofFactory -> ofFactory.openPart(mayStay, noBudgets, test, promises))
                .orElseGet(() -> TestAttribution.open(guard, mayStay, noBudgets, guard.policies(), test, promises));
    }

    /** Contexts of dynamic tests and containers know neither class nor method. */
    private static ExtensionContext factoryOf(ExtensionContext dynamic) {
        ExtensionContext around = dynamic;
        while (around.getTestMethod().isEmpty()) {
            around = around.getParent().orElseThrow();
        }
        return around;
    }

    /** A timeout may run a method on a thread of its own, and may give up on it while it runs. */
    private <T> T proceed(Invocation<T> invocation, ExtensionContext context) throws Throwable {
        SessionStore store = SessionStore.of(context);
        try (Scope body = bodyOf(context, sessionOf(context, store), store.attribution())) {
            return invocation.proceed();
        }
    }

    private static Scope bodyOf(ExtensionContext context, TrackingSession guard, Optional<TestAttribution> account) {
        if (account.isPresent()) {
            return account.get().body();
        }
        return guard.isOf(context) ? guard.body() : NOTHING;
    }

    /** While methods of a class run, tests of other classes may; the thread must not be taken for a helper of one of them. */
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

    /** Opens the account of a test whose mesh outlives it. */
    private TrackingSession enter(ExtensionContext context, SessionStore store) {
        TrackingSession guard = sessionOf(context, store);
        if (guard.checksEachTest() && context.getTestMethod().isPresent()) {
            ConfigurationCache declared = declarations(context);
            CheckPolicy policies = settingsOf(context).policies();
            Optional<MethodPromises> promises = promisesOf(context, declared, policies);
            store.attribution(() -> TestAttribution.open(
                    guard,
                    expectedBy(context, guard.run(), declared),
                    new BudgetCheck(budgetsOf(context, declared)),
                    policies,
                    TrackedTest.of(context),
                    promises));
        }
        return guard;
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
        // Before the mesh of a factory, so that it is closed after that.
        Optional<MethodPromises> promises =
                owner == context ? promisesOf(context, declared, asked.policies()) : Optional.empty();
        return (owner == context ? store : SessionStore.of(owner))
                .session(asked.ofMesh(), () -> newSession(owner, asked, run, ofOwner, template, promises));
    }

    /** Returns what all invocations of a method promise together, if it has several and promises anything. */
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

    /** What the tests do not answer for is judged by what the owner of their mesh says. */
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

    /** The loader with which JUnit looks for its file. */
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

    /** The one rule of precedence: for each policy, the nearest place that says it. */
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

    /** An extension in a field of an instance serves one test: what is kept for it would be kept for nobody. */
    private ConfigurationCache declarations(ExtensionContext context) {
        return isBuilt ? new ConfigurationCache() : ConfigurationCache.of(this, context);
    }

    /** What the files say comes last: the nearer an entry stands to a test, the better it knows it. */
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

    /** Of a suite nothing is known but what holds for the whole run. */
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
     * Returns the extensions in static fields, the nearest first: what they say counts too where an annotation made the
     * engine register one more, which may be asked before them. Without any this one speaks.
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

    /** Returns whose end is awaited: the test's, that of the outermost class that asks for the same, or that of the run. */
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

    /** Chooses what a test gets and what is checked; not safe for use by several threads. */
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

        /** Chooses whose memory the tests are about; {@link MemorySource#FAKE} unless set. */
        public Builder source(MemorySource newSource) {
            source = newSource;
            return this;
        }

        /** Chooses the mesh, which is all of the system; 2x4 unless set. */
        public Builder mesh(int newRows, int newColumns) {
            rows = newRows;
            columns = newColumns;
            return this;
        }

        /** Chooses the chips; {@link Architecture#WORMHOLE_B0} unless set. */
        public Builder architecture(Architecture newArchitecture) {
            architecture = newArchitecture;
            return this;
        }

        /** Chooses the version of the runtime; {@link RuntimePreset#MAY_2026} unless set. */
        public Builder preset(RuntimePreset newPreset) {
            preset = newPreset;
            return this;
        }

        /** Chooses what is reported; that of the version unless set. */
        public Builder reporting(ReportingModel newReporting) {
            reporting = Optional.of(newReporting);
            return this;
        }

        /** Adds what goes wrong in the runtime. */
        public Builder defects(RuntimeDefect... more) {
            defects.addAll(Arrays.asList(more));
            return this;
        }

        /** Makes an error of what the real runtime lets pass although it cannot be right. */
        public Builder strict() {
            strictness = Strictness.STRICT;
            return this;
        }

        /** Chooses whether collected handles give back what they held; {@link HandleRelease#EXPLICIT} unless set. */
        public Builder handleRelease(HandleRelease newRelease) {
            handleRelease = newRelease;
            return this;
        }

        /** Chooses what goes wrong at run time; nothing does unless set. */
        public Builder faults(FaultPlan plan) {
            faults = plan;
            return this;
        }

        /** Chooses the other arguments with which the mesh of a test is opened; its shape is that of {@link #mesh}. */
        public Builder opening(MeshDeviceOptions options) {
            opening = options;
            return this;
        }

        /**
         * Adds choices for the runtime that have no name here, for example {@code runtime -> runtime.systemBuffer(…)}.
         *
         * @param choice applied to every test's runtime after everything else that is chosen here
         */
        public Builder runtime(Consumer<Ttnn.Builder> choice) {
            runtime.add(choice);
            return this;
        }

        /** Chooses how long a mesh lasts; {@link TrackingLifetime#TEST} unless set. */
        public Builder lifetime(TrackingLifetime newLifetime) {
            lifetime = newLifetime;
            return this;
        }

        /** Chooses whose leak it is what a test leaves on a mesh that outlives it; {@link Accounting#AT_THE_END} unless set. */
        public Builder accounting(Accounting newAccounting) {
            accounting = newAccounting;
            return this;
        }

        /** Chooses what has to hold at the end, where no {@link AllocationPolicy} says it; see there. */
        public Builder check(AllocationCheck newCheck) {
            policies = policies.check(newCheck);
            return this;
        }

        /** Chooses whose stack is taken, where no {@link AllocationPolicy} says it; see there. */
        public Builder origins(OriginCapture newOrigins) {
            policies = policies.origins(newOrigins);
            return this;
        }

        /** Chooses what becomes of the check of a test that failed, where no {@link AllocationPolicy} says it; see there. */
        public Builder onFailure(IncompleteTestPolicy newPolicy) {
            policies = policies.onFailure(newPolicy);
            return this;
        }

        /** Chooses what becomes of the check of a test that was aborted, where no {@link AllocationPolicy} says it; see there. */
        public Builder onAbort(IncompleteTestPolicy newPolicy) {
            policies = policies.onAbort(newPolicy);
            return this;
        }

        /** Chooses what becomes of a test that frees buffers after close began, where no {@link AllocationPolicy} says it; see there. */
        public Builder lateFrees(LateFrees newPolicy) {
            policies = policies.lateFrees(newPolicy);
            return this;
        }

        /**
         * Chooses how long late frees are waited for, where no {@link AllocationPolicy} says it; see there.
         *
         * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if it is negative or above ten minutes
         */
        public Builder grace(Duration atMost) {
            GracePeriod.errorOf(atMost).ifPresent(allowed -> {
                throw TrackingSettings.rejected("MeshGuardExtension", "grace = " + atMost, allowed);
            });
            policies = policies.grace(atMost);
            return this;
        }

        /** Chooses the time in which late frees are waited for. */
        Builder timer(GraceTimer newTimer) {
            timer = newTimer;
            return this;
        }

        /** Adds buffers that may stay, after those that annotations allow. */
        public Builder expecting(Expectation... more) {
            expected = expected.and(more);
            return this;
        }

        /** Adds budgets; one of an annotation for the same memory of the same device goes first. */
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
