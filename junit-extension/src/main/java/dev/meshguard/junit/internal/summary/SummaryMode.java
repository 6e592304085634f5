package dev.meshguard.junit.internal.summary;

/** When the summary of a run is said. */
public enum SummaryMode {
    /** Never. */
    OFF {
        @Override
        boolean wants(Summary summary) {
            return false;
        }
    },
    /** If a check failed, or would have failed a test that was aborted. */
    FAILURES {
        @Override
        boolean wants(Summary summary) {
            return summary.hasFailures();
        }
    },
    /** If anything was tracked. */
    ALWAYS {
        @Override
        boolean wants(Summary summary) {
            return summary.hasChecks();
        }
    };

    abstract boolean wants(Summary summary);
}
