package dev.meshguard.junit.internal.session;

import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.handle.NotSearched;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.PageSubject;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.config.TestConfiguration;
import dev.meshguard.junit.internal.config.TrackingSettings;
import dev.meshguard.junit.internal.run.RunPages;
import dev.meshguard.junit.internal.run.SharedRunState;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.junit.internal.template.SourceRuntime;
import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.AnnotatedSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourcePart;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The tracker of one test, class or run, and the memory of its sources. Nothing is opened before it is requested.
 *
 * <p>Safe for use by several threads, because a test with a timeout may run on another thread than its callbacks.
 */
@NotSearched
public final class TrackingSession implements SourceRuntime {

    private static final Scope NOTHING = () -> {};

    private final TrackingSettings settings;
    private final SharedRunState run;
    private final TrackedTest test;
    /** The open phase of the tracker. */
    private Scope phaseScope = NOTHING;

    private final List<String> notes = Collections.synchronizedList(new ArrayList<>());
    private volatile Phase phase = Phase.START;
    private boolean isTrackerRequested;
    private boolean isHandedOut;
    /** Whether a test has a parameter of a source. */
    private boolean isResolved;
    /** Announced themselves although neither a parameter nor a setting asked for them. */
    private final Set<SourceDescription> unrequested = new HashSet<>();

    private final Set<String> notInstalled = ConcurrentHashMap.newKeySet();

    private @Nullable AllocationTracker tracker;
    private final RunningTest running;
    /** In the order in which they began. */
    private final List<BegunSource> begun = new ArrayList<>(1);

    private record BegunSource(String id, SourceSession session) {}

    /** Creates a session that lasts as long as a test, class or run. */
    public TrackingSession(TrackingSettings settings, SharedRunState run, TrackedTest test) {
        this.settings = settings;
        this.run = run;
        this.test = test;
        String id = test.context().getUniqueId();
        this.running = test.subject() == CheckSubject.TEST
                ? RunningTest.test(test.name(), id)
                : RunningTest.ofClass(test.name(), id);
        running.passOpenedMeshes(run.unexaminedMeshes()::add);
    }

    /**
     * The view of the source on this session. Threads of the source may use it, and the session may wait for them while
     * it holds its lock: notes and phase therefore need no lock.
     */
    private final class OwnContext implements SourceContext {

        private final SourceSettings source;

        OwnContext(SourceSettings source) {
            this.source = source;
        }

        @Override
        public AllocationTracker tracker() {
            return TrackingSession.this.tracker();
        }

        @Override
        public Phase phase() {
            return phase;
        }

        @Override
        public String name() {
            return test.name();
        }

        @Override
        public void note(String note) {
            notes.add(note);
        }

        @Override
        public void notInstalled(String reason, String fix) {
            String text = "the source \"" + source.source().id() + "\" is not installed: " + reason + ". " + fix;
            if (notInstalled.add(text)) {
                tracker().reportsLost(-1, text);
            }
        }

        @Override
        public void receiveFromThreads() {
            running.receive(source.source().id(), TrackingSession.this.tracker());
            run.receive(source, settings.policies().origins());
        }
    }

    /** Checks a tracker that has reports, with a note about them. */
    public synchronized void check(AllocationTracker reported, String note) {
        tracker = reported;
        isTrackerRequested = true;
        notes.add(note);
    }

    /** Returns the responsible test, class or run. */
    public TrackedTest test() {
        return test;
    }

    public CheckPolicy policies() {
        return settings.policies();
    }

    public SharedRunState run() {
        return run;
    }

    /** Returns whether each test on this mesh is responsible for its own survivors. */
    public boolean checksEachTest() {
        return settings.checksEachTest();
    }

    /** Returns whether each dynamic test is responsible for its own survivors. */
    public boolean checksEachDynamicTest() {
        return !settings.outlivesTest() || checksEachTest();
    }

    /** Returns whether it lasts as long as the test or class of a context. */
    public boolean isOf(ExtensionContext context) {
        return test.context() == context;
    }

    /** Returns the test or class of this session, to which the allocations of threads may belong. */
    public RunningTest running() {
        return running;
    }

    /** Returns the tracker, which from now on must receive reports: a test that requests it has something to report. */
    @Override
    public synchronized AllocationTracker tracker() {
        isTrackerRequested = true;
        return trackerForAll();
    }

    /** Returns the tracker for the code of a test, which may keep it. */
    public synchronized AllocationTracker handedOutTracker() {
        AllocationTracker own = tracker();
        if (!isHandedOut) {
            isHandedOut = true;
            if (isDefault()) {
                unrequested.addAll(own.history().sources());
            }
        }
        return own;
    }

    /** Returns whether nobody selected the sources: they are those on the class path. */
    private boolean isDefault() {
        return settings.sources()
                .equals(TestConfiguration.sources(test.context()).defaultSettings());
    }

    /** Returns the check of what the code of a test reports: a source that nobody requested is no answer to the tracker. */
    public synchronized LeakCheck besidesUnrequested(LeakCheck check) {
        return isHandedOut && !isResolved ? check.besides(unrequested) : check;
    }

    /** Returns whether the code of a test has the tracker. */
    public synchronized boolean handsOutTracker() {
        return isHandedOut;
    }

    /** Returns the tracker without a request by the test; this alone creates nothing that must be checked. */
    public synchronized AllocationTracker trackerForAll() {
        AllocationTracker existing = tracker;
        if (existing == null) {
            existing = AllocationTracker.builder()
                    .originCapture(settings.policies().origins())
                    .contextOfThread(running::context)
                    .checkedByTest()
                    .build();
            tracker = existing;
            if (!phase.equals(Phase.START)) {
                phaseScope = existing.phase(phase);
            }
        }
        return existing;
    }

    /** Returns the tracker if a test requested it, so that its memory must be checked. */
    public synchronized Optional<AllocationTracker> requestedTracker() {
        return isTrackerRequested ? Optional.ofNullable(tracker) : Optional.empty();
    }

    @Override
    public synchronized <T> T resolve(Class<T> type) {
        for (SourceSettings candidate : settings.sources()) {
            if (candidate.source().parameterTypes().contains(type)) {
                isResolved = true;
                return type.cast(begun(candidate).resolve(type));
            }
        }
        throw rejected(type);
    }

    /** Returns the ids of the sources that have begun, joined by {@code +}. */
    public synchronized Optional<String> sourceId() {
        return begun.isEmpty() ? Optional.empty() : Optional.of(String.join("+", sourceIds()));
    }

    /** Returns the ids of the sources that have begun. */
    public synchronized List<String> sourceIds() {
        return begun.stream().map(BegunSource::id).toList();
    }

    /** Begins the sources, except those that begin only when a test requests them. */
    public synchronized void beginSources() {
        for (SourceSettings chosen : settings.sources()) {
            if (!chosen.beginsOnRequest()) {
                begun(chosen);
            }
        }
    }

    private SourceSession begun(SourceSettings chosen) {
        String id = chosen.source().id();
        for (BegunSource known : begun) {
            if (known.id().equals(id)) {
                return known.session();
            }
        }
        // The parameter of a method for all tests may be resolved before the sources begin.
        boolean isAfterTracker = isHandedOut && isDefault();
        List<SourceDescription> before =
                isAfterTracker ? trackerForAll().history().sources() : List.of();
        SourceSession session = chosen.begin(new OwnContext(chosen));
        begun.add(new BegunSource(id, session));
        if (isAfterTracker) {
            List<SourceDescription> after = trackerForAll().history().sources();
            unrequested.addAll(after.subList(before.size(), after.size()));
        }
        return session;
    }

    private ExtensionConfigurationException rejected(Class<?> type) {
        AllocationSource ofType =
                TestConfiguration.sources(test.context()).ofParameter(type).orElseThrow();
        return ConfigurationErrors.of(
                test.name(),
                "a " + type.getSimpleName()
                        + (settings.sources().isEmpty() ? " without its source" : " with " + settings.names()),
                ofType instanceof AnnotatedSource<?> annotated
                        ? "Annotate the test with @" + annotated.annotation().getSimpleName()
                                + ", or give its source to MeshGuardExtension."
                        : "Remove the annotation that selects another source, or give the source \"" + ofType.id()
                                + "\" to MeshGuardExtension.");
    }

    @Override
    public RunPages pages() {
        return run.pages();
    }

    @Override
    public PageSubject subject() {
        return test.page();
    }

    /**
     * Begins a phase of the test.
     *
     * @return whether it is another phase; the extension may be registered twice
     */
    public synchronized boolean begin(Phase next) {
        if (next.equals(phase)) {
            return false;
        }
        phase = next;
        for (BegunSource source : begun) {
            source.session().begin(next);
        }
        if (tracker != null) {
            Scope before = phaseScope;
            phaseScope = tracker.phase(next);
            // Closed when it is no longer the current one, so that the phase around it does not begin in between.
            before.close();
        }
        return true;
    }

    /** Ends the last phase of one test of several. */
    public synchronized void endPhases() {
        phaseScope.close();
        phaseScope = NOTHING;
        phase = Phase.START;
    }

    /** Returns whether it lasts longer than one test. */
    public boolean outlivesTest() {
        return settings.outlivesTest();
    }

    /** Returns whether it is of this test, and of no part of it and of no class. */
    public boolean isOf(TrackedTest other) {
        return test == other && test.subject() == CheckSubject.TEST;
    }

    /** Opens an accounting scope for a test on this mesh; this alone creates nothing that must be checked. */
    public AllocationContext context(String name) {
        return trackerForAll().context(name);
    }

    /** Returns the free space that the allocators of the sources report now. */
    public synchronized List<FreeSpace> freeSpace() {
        return begun.stream()
                .flatMap(source -> source.session().freeSpace().stream())
                .toList();
    }

    /** Lets the sources report what has happened to their handles, before a look at what is allocated. */
    @Override
    public synchronized void poll() {
        for (BegunSource source : begun) {
            try {
                source.session().poll();
            } catch (RuntimeException | Error unknown) {
                trackerForAll()
                        .reportsLost(-1, "the source \"" + source.id() + "\" could not ask its handles: " + unknown);
            }
        }
    }

    /** Lets the sources drop what they hold of the survivors in a history, before a search for other holders. */
    public synchronized void release(AllocationHistory history) {
        Set<Object> survivors = Collections.newSetFromMap(new IdentityHashMap<>());
        for (BufferGeneration buffer : history.live()) {
            for (BufferGeneration.Report report : buffer.reportsRemaining()) {
                report.request().handle().map(WeakReference::get).ifPresent(survivors::add);
            }
        }
        begun.forEach(source -> source.session().release(survivors));
    }

    /**
     * The parts of the sources that are checked separately.
     *
     * @param error the error of ending them, if there was one
     */
    public record EndedParts(List<SourcePart> parts, Optional<RuntimeException> error) {}

    /** Ends the parts of the sources that are checked separately. */
    public synchronized EndedParts endParts() {
        List<SourcePart> parts = new ArrayList<>();
        Optional<RuntimeException> error = inReverse(source -> parts.addAll(source.endParts()));
        return new EndedParts(List.copyOf(parts), error);
    }

    /**
     * The end of a session.
     *
     * @param notes the notes of the sources
     * @param error the error of closing, if there was one
     */
    public record Closed(List<String> notes, Optional<RuntimeException> error) {}

    /** Closes what the test left open. */
    public synchronized Closed close() {
        Optional<RuntimeException> error = inReverse(SourceSession::close);
        running.end();
        return new Closed(List.copyOf(notes), error);
    }

    /** Ends each source after those that began later, even if one throws; returns the errors. */
    private Optional<RuntimeException> inReverse(Consumer<SourceSession> end) {
        RuntimeException failed = null;
        for (int i = begun.size() - 1; i >= 0; i--) {
            BegunSource source = begun.get(i);
            try {
                end.accept(source.session());
            } catch (RuntimeException | Error thrown) {
                RuntimeException failure = thrown instanceof RuntimeException exception
                        ? exception
                        : new IllegalStateException(
                                "the source \"" + source.id() + "\" could not be ended: " + thrown, thrown);
                if (failed == null) {
                    failed = failure;
                } else {
                    failed.addSuppressed(failure);
                }
            }
        }
        return Optional.ofNullable(failed);
    }
}
