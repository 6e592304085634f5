package dev.meshguard.cli.terminal;

import dev.meshguard.verdict.Outcome;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The exit status of the program, from the best to the worst; of several files, the worst decides. */
public enum ExitStatus {
    /** All memory was freed, or only expected buffers remain. */
    CLEAN(0, "the command did its work: nothing leaked, or only expected buffers remain"),
    /** Two runs differ, and the later one has no more survivors. */
    DIFFERENT(5, "diff: the runs differ, and nowhere is more live in the later one"),
    /** Fewer buffers remain than an expectation entry requires. */
    STALE(4, "fewer buffers remain than an expectation entry requires"),
    /** All memory was freed, but the data of a buffer was overwritten. */
    OVERWRITTEN(7, "all memory was freed, but the data of a buffer was overwritten"),
    /** All memory was freed, but the reported counts are wrong. */
    MISREPORTED(3, "all memory was freed, but the reports are wrong: a free is missing, or one too many"),
    /** Memory was freed, but only after the close of its allocator had begun, or after the dump of a log. */
    FREED_LATE(6, "memory was freed, but only after the close of its mesh began, or after the dump of the log"),
    /** The result is unknown. */
    INCONCLUSIVE(2, "it cannot be known: the log is cut, lines are missing, sums disagree, or a file cannot be listed"),
    /** Memory was not freed. */
    LEAKED(1, "memory was not freed; diff: more is live somewhere in the later run"),
    /** The arguments are invalid, or a file cannot be read. */
    USAGE(64, "wrong usage, or a file that cannot be read; one line on standard error names the fix"),
    /** The output of the program could not be written. */
    UNWRITTEN(74, "the answer or a file could not be written: a full disk, a closed pipe"),
    /** The program itself failed; this is no result. */
    FAILED(70, "a defect of meshguard itself, or record could not go on");

    private final int code;
    private final String meaning;

    ExitStatus(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
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

    /** Returns the meanings by exit status, for the help of every command: also those of signals and programs. */
    public static Map<String, String> table() {
        Map<String, String> table = new LinkedHashMap<>();
        Arrays.stream(values())
                .sorted(Comparator.comparingInt(ExitStatus::code))
                .forEach(status -> table.put(String.valueOf(status.code), status.meaning));
        table.put("128+N", "signal N ended meshguard, or the program of record: 130 is Ctrl+C, 143 is SIGTERM");
        table.put("other", "record: the program failed with this status");
        return table;
    }
}
