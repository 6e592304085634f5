package dev.meshguard.junit.internal.summary;

import dev.meshguard.report.summary.RunSummary;

/** Selects when the summary of a run is written. */
public enum SummaryMode {
    /** Never. */
    OFF {
        @Override
        public boolean wants(RunSummary summary) {
            return false;
        }
    },
    /** If a check failed, or would have failed a test that was aborted. */
    FAILURES {
        @Override
        public boolean wants(RunSummary summary) {
            return summary.hasFailures();
        }
    },
    /** If anything was tracked. */
    ALWAYS {
        @Override
        public boolean wants(RunSummary summary) {
            return summary.hasChecks();
        }
    };

    /** Returns whether a summary is written. */
    public abstract boolean wants(RunSummary summary);
}
