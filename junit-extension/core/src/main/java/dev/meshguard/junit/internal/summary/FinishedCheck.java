package dev.meshguard.junit.internal.summary;

import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.verdict.LeakVerdict;
import java.util.List;
import java.util.Optional;

/**
 * A check that has ended, as the summary of its run counts it.
 *
 * @param subject the kind of its subject; empty if other checks of the same subject are counted
 * @param name the name of its subject
 * @param outcome the outcome
 * @param verdict the verdict; empty if the check needed none, or threw an error before it had one
 * @param findings the findings about survivors
 * @param failure the first line of the failure with its page, for a summary that must name it
 * @param reproduction the command that runs it again, if it failed
 */
public record FinishedCheck(
        Optional<CheckSubject> subject,
        String name,
        CheckOutcome outcome,
        Optional<LeakVerdict> verdict,
        List<SurvivorFinding> findings,
        Optional<String> failure,
        Optional<String> reproduction) {

    /** Creates a check with its own copy of the list. */
    public FinishedCheck {
        findings = List.copyOf(findings);
    }

    /** Returns the findings that are defects. */
    List<SurvivorFinding> defects() {
        return findings.stream().filter(finding -> finding.status().isDefect()).toList();
    }
}
