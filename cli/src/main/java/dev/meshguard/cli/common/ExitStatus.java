package dev.meshguard.cli.common;

import dev.meshguard.verdict.Outcome;

/** The exit status of the program; the worst of all logs counts. */
public enum ExitStatus {
    /** All memory was freed, or only expected buffers or known leaks remain. */
    CLEAN(0),
    /** Two runs differ, and the later one has no more survivors. */
    DIFFERENT(5),
    /** Fewer buffers remain than an expectation entry requires. */
    STALE(4),
    /** All memory was freed, but the data of a buffer was overwritten. */
    OVERWRITTEN(7),
    /** All memory was freed, but the reported counts are wrong. */
    MISREPORTED(3),
    /** Memory was freed, but only after the close of its allocator had begun, or after the dump of a log. */
    FREED_LATE(6),
    /** The result is unknown. */
    INCONCLUSIVE(2),
    /** Memory was not freed. */
    LEAKED(1),
    /** The arguments are invalid, or a file cannot be read. */
    USAGE(64),
    /** The output of the program could not be written. */
    UNWRITTEN(74),
    /** The program itself failed; this is no result. */
    FAILED(70);

    private final int code;

    ExitStatus(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    public ExitStatus orWorse(ExitStatus other) {
        return compareTo(other) >= 0 ? this : other;
    }

    public static ExitStatus of(Outcome outcome) {
        return switch (outcome) {
            case LEAK_FREE, EXPECTED_ONLY -> CLEAN;
            case STALE_EXPECTATION -> STALE;
            case OVERWRITTEN -> OVERWRITTEN;
            case MISREPORTED -> MISREPORTED;
            case FREED_LATE -> FREED_LATE;
            case INCONCLUSIVE -> INCONCLUSIVE;
            case LEAKED -> LEAKED;
        };
    }
}
