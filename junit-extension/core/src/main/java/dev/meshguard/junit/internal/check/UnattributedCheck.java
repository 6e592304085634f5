package dev.meshguard.junit.internal.check;

import dev.meshguard.event.Quantities;
import dev.meshguard.junit.internal.SharedRunState;
import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The check of what threads allocated that worked for no test: freed memory is a note, survivors are a finding of the run.
 */
final class UnattributedCheck implements StoredResource {

    private final SharedRunState run;
    private final ExtensionContext root;
    private final Function<AllocationTracker, SessionCheck> check;

    /**
     * Creates the check of a run.
     *
     * @param root the context of the engine
     * @param check makes the check of a tracker, which waits for late frees
     */
    UnattributedCheck(SharedRunState run, ExtensionContext root, Function<AllocationTracker, SessionCheck> check) {
        this.run = run;
        this.root = root;
        this.check = check;
    }

    @Override
    public void close() throws IOException {
        Optional<AllocationTracker> reported = run.unattributed().end();
        if (reported.isEmpty()) {
            return;
        }
        AllocationTracker tracker = reported.get();
        SessionCheck ofRun = check.apply(tracker);
        TrackingSession session = ofRun.session();
        session.beginSources();
        session.poll();
        LeakVerdict verdict = verdictOf(tracker);
        if (verdict.outcome() == Outcome.LEAK_FREE) {
            session.close();
        } else {
            ofRun.close();
            verdict = verdictOf(tracker);
        }
        if (verdict.outcome() == Outcome.LEAK_FREE) {
            root.publishReportEntry(
                    "meshguard",
                    String.format(
                            Locale.ROOT,
                            "threads that work for no test allocated %s, and all were freed: %s",
                            Quantities.count(verdict.sum().allocated(), "buffer"),
                            run.unattributed().threads()));
        }
    }

    private static LeakVerdict verdictOf(AllocationTracker tracker) {
        return LeakCheck.create().examine(tracker.history());
    }
}
