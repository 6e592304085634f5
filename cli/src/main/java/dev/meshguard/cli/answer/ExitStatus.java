package dev.meshguard.cli.answer;

import dev.meshguard.verdict.Outcome;

/** What the program returns, for scripts; the worst of all logs counts. */
public enum ExitStatus {
    /** Everything was given back, or only what may stay is left. */
    CLEAN(0),
    /** Two runs differ, and the later one leaves no more. */
    DIFFERENT(5),
    /** Less is left than an entry of the allowlist promises. */
    STALE(4),
    /** All memory was given back, and the books are wrong. */
    MISREPORTED(3),
    /** Memory was freed, but only when the close of its allocator had begun, or after the dump of a log. */
    FREED_LATE(6),
    /** It cannot be known. */
    INCONCLUSIVE(2),
    /** Memory was not given back. */
    LEAKED(1),
    /** The program was called in a way that it cannot understand, or with a file that it cannot read. */
    USAGE(64),
    /** What the program had to say or to keep could not be written. */
    UNWRITTEN(74),
    /** The program itself failed: not to be taken for an answer. */
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
            case MISREPORTED -> MISREPORTED;
            case FREED_LATE -> FREED_LATE;
            case INCONCLUSIVE -> INCONCLUSIVE;
            case LEAKED -> LEAKED;
        };
    }
}
