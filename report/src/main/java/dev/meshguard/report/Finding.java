package dev.meshguard.report;

import dev.meshguard.text.Quantities;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One problem that a check found. Text, page, JSON, findings file and summary read it.
 *
 * <p>A {@link SurvivorFinding} is about buffers that remain. The others are about overwritten memory, wrong reports and stale
 * entries.
 *
 * <p>The sentences are made when they are read: of ten thousand findings a text shows a few. Immutable and safe for use by
 * several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface Finding permits SurvivorFinding, OverwriteFinding, AnomalyFinding, SimpleFinding {

    /**
     * One fact about a finding.
     *
     * @param name what the fact answers: {@code where}, {@code why}, {@code fix}, {@code seen}, {@code freed}, {@code over}, {@code with},
     *     {@code held} or {@code note}
     * @param text the fact
     */
    record Fact(String name, String text) {

        /** The lines of the log that reported the buffers. */
        public static final String WHERE = "where";

        /** The cause, with the decisive evidence. */
        public static final String WHY = "why";

        /** The recommended action. */
        public static final String FIX = "fix";

        /** Further evidence and the circumstances. */
        public static final String SEEN = "seen";

        /** The line that freed the buffers too late, or that freed them before. */
        public static final String FREED = "freed";

        /** The line of code that allocated the buffers underneath. */
        public static final String OVER = "over";

        /** Buffers that disappear with those of the finding. */
        public static final String WITH = "with";

        /** The comparison with the baseline. */
        public static final String NOTE = "note";

        /** A holder of memory that a request did not find. */
        public static final String HELD = "held";
    }

    /** Returns what it is about, in one line: for buffers their memory, number, size, devices, label and owner. */
    String title();

    /**
     * Returns the line of code that allocated the buffers or reported the free, and the callers that distinguish findings of
     * one line; empty if no line is known.
     */
    List<String> sites();

    /** Returns why it is a problem, how to fix it, what was seen, and more, in the order in which a text names them. */
    List<Fact> facts();

    /** Returns how to fix it; empty if nothing follows from the evidence. */
    default Optional<String> fix() {
        return facts().stream()
                .filter(fact -> fact.name().equals(Fact.FIX))
                .map(Fact::text)
                .reduce((one, next) -> one + " " + next);
    }

    /** Returns the number of findings that it stands for. */
    default int count() {
        return 1;
    }

    /** Returns the number of buffers, consequences included; 0 if it is about a report or an entry. */
    default long buffers() {
        return 0;
    }

    /** Returns the bytes of the buffers that remain, at most {@link Long#MAX_VALUE}; 0 if none remains. */
    default long bytes() {
        return 0;
    }

    /** Returns the buffers of several findings. */
    static long buffersOf(List<? extends Finding> findings) {
        return findings.stream().mapToLong(Finding::buffers).sum();
    }

    /** Returns the bytes of several findings, at most {@link Long#MAX_VALUE}. */
    static long bytesOf(List<? extends Finding> findings) {
        return findings.stream().mapToLong(Finding::bytes).reduce(0, Quantities::saturatedSum);
    }
}
