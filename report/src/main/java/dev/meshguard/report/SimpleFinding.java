package dev.meshguard.report;

import dev.meshguard.report.Finding.Fact;
import java.util.List;

/**
 * A finding about an expectation entry, or the number of findings that are not shown one by one.
 *
 * @param count the number of findings that it stands for
 */
record SimpleFinding(String title, List<String> sites, List<Fact> facts, long buffers, long bytes, int count)
        implements Finding {

    /** Returns a finding about no buffer. */
    static SimpleFinding of(String title, Fact... facts) {
        return new SimpleFinding(title, List.of(), List.of(facts), 0, 0, 1);
    }
}
