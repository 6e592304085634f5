package dev.meshguard.report.summary;

import dev.meshguard.verdict.Cause;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The numbers of a run.
 *
 * <p>A view of the maps and sets that it is given: read it before they change.
 *
 * @param counts the number of checks of each kind and result; a missing one is 0
 * @param lists the listed names
 * @param peaks the maximum bytes that were allocated at once: of one device by the name of the type, of memory that belongs to no
 *     device by the name of the memory
 * @param leaks the survivors that leaked, by cause
 * @param knownLeaks the leaks that are in the baseline
 * @param overview the page of all tests, if it was written
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record RunSummary(
        SortedMap<Count, Long> counts,
        SortedMap<Listed, SortedSet<String>> lists,
        SortedMap<String, Amount> peaks,
        SortedMap<Cause, LeakTotals> leaks,
        LeakTotals knownLeaks,
        Optional<String> overview) {

    /** The numbers of a summary. */
    public enum Count {
        /** Checked tests. */
        TESTS,
        /** Checked classes whose tests share a mesh. */
        CLASSES,
        /** Checks of memory for which no test is responsible. */
        RUNS,
        /** Checked programs that tests started. */
        PROCESSES,
        /** Buffers that were ever allocated on the checked meshes. */
        BUFFERS,
        /** Failed checks. */
        FAILED,
        /** Failed checks without a leak. */
        FAILED_WITHOUT_LEAK,
        /** Checks that did not hold for an aborted test. */
        ABORTED,
        /** Checks that did not hold only because of known leaks. */
        KNOWN
    }

    /** The lists of names in a summary. */
    public enum Listed {
        /** The entries of files that matched. */
        MATCHED,
        /** The entries of files that matched nothing. */
        UNMATCHED,
        /** Sentences about judgements that only a whole run allows. */
        UNJUDGED,
        /** The failed checks with their first lines and pages, where the build tool hides messages. */
        FAILURES,
        /** The commands that rerun the failed checks. */
        REPRODUCTIONS
    }

    /** Returns the lines for the end of a run, without a line break at the end: the same in every locale and on every terminal. */
    public String text() {
        return SummaryText.of(this);
    }

    /** Returns a number. */
    long count(Count what) {
        return counts.getOrDefault(what, 0L);
    }

    /** Returns the names of a list. */
    SortedSet<String> names(Listed list) {
        return lists.getOrDefault(list, Collections.emptySortedSet());
    }

    /** Returns whether anything was checked; if not, there is nothing to print. */
    public boolean hasChecks() {
        return count(Count.TESTS) + count(Count.CLASSES) + count(Count.RUNS) + count(Count.PROCESSES) > 0;
    }

    /** Returns whether any check did not hold, excluding known leaks. */
    public boolean hasFailures() {
        return count(Count.FAILED) + count(Count.ABORTED) > 0;
    }
}
