package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.config.TrackingSettings;
import dev.meshguard.junit.internal.run.SharedRunState;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.thread.TestInterrupt;
import dev.meshguard.junit.internal.thread.UnattributedMemory;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Checks at the end of a run the memory that threads allocated while they worked for no test: freed memory is a note,
 * survivors are a finding of the run.
 */
final class UnattributedCheck implements StoredResource {

    /** One of the threads may be at work when the run ends, and no test waits for them. */
    private static final Duration LEAST_GRACE = Duration.ofSeconds(1);

    private final SharedRunState run;
    private final ExtensionContext root;
    private final CheckPolicy policies;
    private final GraceTimer timer;

    /**
     * Creates the check of a run.
     *
     * @param root the context of the engine
     */
    UnattributedCheck(SharedRunState run, ExtensionContext root, CheckPolicy policies, GraceTimer timer) {
        this.run = run;
        this.root = root;
        this.policies = policies.waitingAtLeast(LEAST_GRACE);
        this.timer = timer;
    }

    @Override
    public void close() {
        FailedChecks failed = new FailedChecks();
        try (Scope noInterrupt = TestInterrupt.suspended()) {
            run.unattributed().end().forEach(memory -> failed.collect(() -> check(memory)));
        }
        failed.throwAll();
    }

    private Optional<? extends Throwable> check(UnattributedMemory memory) {
        TrackingSession session = new TrackingSession(
                new TrackingSettings(
                        run.sources(memory.sources()), TrackingLifetime.CLASS, Accounting.AT_THE_END, policies),
                run,
                TrackedTest.of(root));
        session.check(memory.tracker(), memory.note());
        session.beginSources();
        session.poll();
        LeakVerdict verdict = verdictOf(memory);
        if (verdict.outcome() == Outcome.LEAK_FREE) {
            session.close();
        } else {
            CheckTerms terms = new CheckTerms(
                    session.test(), policies, run.expected(), new BudgetCheck(List.of()), Optional.empty());
            SessionCheck check = new SessionCheck(session, terms, timer, Optional.empty());
            memory.part().ifPresentOrElse(check::closePart, check::close);
            verdict = verdictOf(memory);
        }
        if (verdict.outcome() == Outcome.LEAK_FREE) {
            root.publishReportEntry(
                    "meshguard",
                    String.format(
                            Locale.ROOT,
                            "%s allocated %s, and all were freed: %s",
                            memory.by(),
                            Quantities.count(verdict.sum().allocated(), "buffer"),
                            memory.details().get()));
        }
        return Optional.empty();
    }

    private static LeakVerdict verdictOf(UnattributedMemory memory) {
        return LeakCheck.create().examine(memory.history());
    }
}
