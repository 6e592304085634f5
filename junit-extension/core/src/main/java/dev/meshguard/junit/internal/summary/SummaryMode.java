package dev.meshguard.junit.internal.summary;

import dev.meshguard.report.summary.RunSummary;

/** Selects when the summary of a run is printed. */
public enum SummaryMode {
    /** Never. */
    OFF {
        @Override
        boolean wants(RunSummary summary) {
            return false;
        }
    },
    /** If a check failed, or would have failed a test that was aborted. */
    FAILURES {
        @Override
        boolean wants(RunSummary summary) {
            return summary.hasFailures();
        }
    },
    /** If anything was tracked. */
    ALWAYS {
        @Override
        boolean wants(RunSummary summary) {
            return summary.hasChecks();
        }
    };

    abstract boolean wants(RunSummary summary);
}
