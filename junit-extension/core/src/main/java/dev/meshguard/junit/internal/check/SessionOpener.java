package dev.meshguard.junit.internal.check;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.OutputSettings;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.junit.internal.UnknownParameters;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.config.DeclaredSettings;
import dev.meshguard.junit.internal.config.TestConfiguration;
import dev.meshguard.junit.internal.config.TrackingSettings;
import dev.meshguard.junit.internal.run.SharedRunState;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Opens the sessions of tests with their checks, and the attributions of tests on a mesh that outlives them. */
public final class SessionOpener {

    private final TestConfiguration configuration;

    /** Creates an opener of tests with the given settings. */
    public SessionOpener(TestConfiguration configuration) {
        this.configuration = configuration;
    }

    /** Begins the sources of a test, and opens the attribution of a test whose mesh outlives it. */
    public SessionCheck enter(ExtensionContext context, SessionStore store) {
        SessionCheck check = checkOf(context, store);
        TrackingSession session = check.session();
        boolean isOfTest = context.getTestMethod().isPresent();
        if (!isOfTest) {
            beforeAll(context, store);
        }
        // An instance of all tests is created in the context of its class, which does not own their sessions.
        if (isOfTest || session.outlivesTest()) {
            session.beginSources();
        }
        if (!isOfTest) {
            return check;
        }
        if (store.running().isEmpty()) {
            run(context, store, session);
        }
        if (session.checksEachTest()) {
            // Its required matches are opened before the attribution of a factory, so that they are closed after it.
            CheckTerms terms = termsInside(session, context, store.test());
            store.attribution(
                    () -> new TestAttribution(check, terms, store.running().orElseThrow()));
        }
        return check;
    }

    /** Lets the calling thread, which is one of the engine and runs many tests, run a test until its context ends. */
    private static void run(ExtensionContext context, SessionStore store, TrackingSession session) {
        boolean isOwn = session.isOf(context);
        String id = context.getUniqueId();
        RunningTest test = isOwn
                ? session.running()
                : session.running().testInside(store.test().name(), id);
        store.running(test);
        test.begin(context.getTestMethod());
        store.keep(() -> {
            Scope bound = test.bind();
            return () -> {
                bound.close();
                if (!isOwn) {
                    test.end();
                }
            };
        });
        if (!RunningTest.isAnnounced(id)) {
            session.run().unattributed().withoutListener();
        }
    }

    /** Returns the code that runs for all tests of a class, once it has begun. */
    public RunningTest codeForAll(ExtensionContext context, Optional<Method> method) {
        SessionStore store = SessionStore.of(context);
        RunningTest code = store.session()
                .map(session -> session.running().codeForAll())
                .orElseGet(() -> codeOfClass(context, store.test().name()));
        code.begin(method);
        return code;
    }

    private RunningTest codeOfClass(ExtensionContext context, String name) {
        RunningTest code = RunningTest.ofClass(name, context.getUniqueId());
        try {
            code.passOpenedMeshes(runOf(context).unexaminedMeshes()::add);
        } catch (ExtensionConfigurationException eachTestReportsIt) {
            // No summary is printed.
        }
        return code;
    }

    /** Lets the calling thread run a class, and the run receive what threads report before its first test. */
    public void beforeAll(ExtensionContext context, SessionStore store) {
        store.keep(() -> RunningTest.enterClass(store.test().name(), context.getUniqueId()));
        receiveBeforeTests(context);
    }

    /** Begins the sources of a class before its {@code @BeforeAll} methods, if its session lasts for all its tests. */
    public void enterClass(ExtensionContext context, SessionStore store) {
        if (beginsForAll(context)) {
            checkOf(context, store).session().beginSources();
        }
    }

    /**
     * Lets the run receive what threads report before its first test, for example in a {@code @BeforeAll} method, and lets the sources see
     * it. Otherwise the first class of a run could leak unnoticed there.
     */
    private void receiveBeforeTests(ExtensionContext context) {
        try {
            TrackingSettings asked = configuration.at(context).tracking(Optional.empty());
            List<SourceSettings> always = asked.sources().stream()
                    .filter(source -> !source.beginsOnRequest())
                    .toList();
            if (!always.isEmpty()) {
                SharedRunState run = runOf(context);
                always.forEach(source -> run.receive(source, asked.policies().origins()));
                always.forEach(SourceSettings::prepare);
            }
        } catch (ExtensionConfigurationException rejected) {
            // Each test reports it.
        }
    }

    private boolean beginsForAll(ExtensionContext context) {
        try {
            TrackingSettings asked = configuration.at(context).tracking(Optional.empty());
            return asked.outlivesTest() && !asked.beginsOnRequest();
        } catch (ExtensionConfigurationException eachTestReportsIt) {
            return false;
        }
    }

    /** Returns the check of the session that serves a context. */
    public SessionCheck checkOf(ExtensionContext context, SessionStore store) {
        return store.serving(() -> findCheck(context, store));
    }

    /** Opens the attribution of a dynamic test. */
    public TestAttribution attributionOfDynamicTest(
            SessionCheck check,
            ExtensionContext factory,
            ExtensionContext dynamic,
            TrackedTest test,
            RunningTest running) {
        SessionStore.of(factory).attribution().ifPresent(TestAttribution::leaveFreeSpace);
        CheckTerms terms = termsInside(check.session(), factory, test);
        terms.requiredMatches().ifPresent(ofAll -> ofAll.begin(dynamic));
        return new TestAttribution(check, terms, running);
    }

    /**
     * Returns the terms of a test, or of a dynamic test of a factory, on a mesh that outlives it. A factory with a mesh of its own is checked
     * against its budgets as a whole.
     */
    private CheckTerms termsInside(TrackingSession session, ExtensionContext declaring, TrackedTest test) {
        DeclaredSettings declared = configuration.at(declaring);
        CheckPolicy policies =
                declared.tracking(SessionStore.of(declaring).invocation()).policies();
        return new CheckTerms(
                test,
                policies,
                expectedBy(session.run(), declared),
                new BudgetCheck(session.checksEachTest() ? declared.budgets() : List.of()),
                requiredMatchesOf(declaring, declared, policies));
    }

    /** Adds to the failure of a test which of its buffers were freed after the check. */
    public void explainFrees(ExtensionContext context, Optional<Throwable> failure) {
        new ThrownErrors(failure)
                .all(LeakAssertionError.class)
                .forEach(leak -> runOf(context).freesAfterCheck().explain(leak));
    }

    /** Notes that the survivors of an invocation are unknown, because it is disabled. */
    public void excuseInvocation(ExtensionContext context) {
        // The store of a factory that is disabled itself is closed.
        if (RequiredMatches.around(context).filter(around -> around != context).isPresent()) {
            DeclaredSettings declared = configuration.at(context);
            requiredMatchesOf(context, declared, declared.policies()).ifPresent(RequiredMatches::giveUp);
        }
    }

    /** Notes that the survivors of a test are unknown, because it did not complete. */
    public void excuse(ExtensionContext context) {
        SharedRunState run = runOf(context);
        // The store of the context is closed.
        run.excuse(TrackedTest.of(context).id(), configuration.at(context).expected());
        run.endedMethods().add(context.getRequiredTestClass(), context.getRequiredTestMethod(), false);
    }

    private SessionCheck findCheck(ExtensionContext context, SessionStore store) {
        Optional<TemplateInvocation> template = store.invocation();
        template.ifPresent(invocation -> invocation.awaitEnd(
                context, failure -> runOf(context).summary().add(CheckReporter.ofSeveral(store.test(), failure))));
        DeclaredSettings declared = configuration.at(context);
        TrackingSettings asked = declared.tracking(template);
        ExtensionContext owner = configuration.ownerOf(context, asked, template);
        DeclaredSettings ofOwner = owner == context ? declared : configuration.at(owner);
        SharedRunState run = ofOwner.run.computeIfAbsent(() -> runOf(owner));
        // Opened before the mesh of a factory, so that it is closed after the mesh.
        Optional<RequiredMatches> required =
                owner == context ? requiredMatchesOf(context, declared, asked.policies()) : Optional.empty();
        return (owner == context ? store : SessionStore.of(owner))
                .check(asked.ofMesh(), () -> newCheck(owner, asked, run, ofOwner, template, required));
    }

    /**
     * Returns the combined expectations for all invocations of a method, if it has several and any requires a match.
     */
    private Optional<RequiredMatches> requiredMatchesOf(
            ExtensionContext context, DeclaredSettings declared, CheckPolicy policies) {
        ExpectedBuffers expected = declared.expected();
        if (expected.entries().isEmpty()
                || context.getTestMethod().isEmpty()
                || policies.check() == AllocationCheck.NONE
                || expected.entries().stream().noneMatch(Expectation::isBrokenByNone)) {
            return Optional.empty();
        }
        Optional<RequiredMatches> ofAll = RequiredMatches.around(context)
                .map(around -> SessionStore.of(around)
                        .requiredMatches(
                                context.getRequiredTestMethod(),
                                () -> new RequiredMatches(
                                        TrackedTest.of(context),
                                        expected,
                                        runOf(context).summary())));
        ofAll.ifPresent(required -> required.begin(context));
        return ofAll;
    }

    private SessionCheck newCheck(
            ExtensionContext owner,
            TrackingSettings asked,
            SharedRunState run,
            DeclaredSettings declared,
            Optional<TemplateInvocation> template,
            Optional<RequiredMatches> required) {
        TrackingSession session = new TrackingSession(
                settingsOfMesh(declared, asked), run, SessionStore.of(owner).test());
        CheckTerms terms = new CheckTerms(
                session.test(),
                session.policies(),
                expectedBy(run, declared),
                new BudgetCheck(declared.budgets()),
                required);
        return new SessionCheck(session, terms, declared.timer(), template);
    }

    /** The settings of the mesh's owner apply to memory for which the tests are not responsible. */
    private static TrackingSettings settingsOfMesh(DeclaredSettings owner, TrackingSettings asked) {
        return asked.checksEachTest()
                ? asked.with(owner.policies().withOrigins(asked.policies().origins()))
                : asked;
    }

    private SharedRunState runOf(ExtensionContext context) {
        return SessionStore.run(context, () -> {
            SharedRunState run = TestConfiguration.convertingErrors(() -> new SharedRunState(
                    RunSettings.of(context::getConfigurationParameter, System.getenv()),
                    OutputSettings.of(context::getConfigurationParameter),
                    Instant.now(),
                    context.getRoot()::publishReportEntry));
            run.unattributed().begin(context.getUniqueId());
            ExtensionContext root = context.getRoot();
            CheckPolicy policies = configuration.at(root).policies();
            run.checkFirst(
                    new UnattributedCheck(
                            run, root, policies, configuration.at(context).timer()),
                    policies.check() != AllocationCheck.NONE);
            UnknownParameters.misspelt(System.getProperties(), context::getConfigurationParameter)
                    .forEach(run.summary()::note);
            return run;
        });
    }

    /** Entries of files come last: the nearer an entry is to a test, the more specific it is. */
    private static ExpectedBuffers expectedBy(SharedRunState run, DeclaredSettings declared) {
        ExpectedBuffers all = declared.expected();
        if (declared.policies().check() != AllocationCheck.NONE) {
            run.expect(all);
        }
        return all.and(run.expected());
    }
}
