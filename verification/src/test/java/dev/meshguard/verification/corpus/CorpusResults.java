package dev.meshguard.verification.corpus;

import dev.meshguard.verdict.Outcome;
import dev.meshguard.verification.corpus.matrix.CorpusJudgement;
import dev.meshguard.verification.corpus.matrix.JudgedRuns;
import dev.meshguard.verification.corpus.stage.HandleFinder;
import dev.meshguard.verification.corpus.stage.SearchedHandles;
import dev.meshguard.verification.corpus.truth.GroundTruth;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The counted results of many cases. */
final class CorpusResults {

    private static final int CASES_TOGETHER = 100;

    /** Each of these collects garbage several times, which takes the longer the more cases wait. */
    private static final int COLLECTING_CASES_TOGETHER = 10;

    private final JudgedRuns whole;
    private final JudgedRuns log;
    private final List<String> contradictions = new ArrayList<>();
    private final List<String> falseAlarms = new ArrayList<>();
    private final List<String> missedLeaks = new ArrayList<>();
    private int foundLeaks;
    private int inventedLeaks;
    private int cases;
    private int cleanCases;
    private int misreportedCases;

    CorpusResults(String subject) {
        whole = new JudgedRuns("whole history", subject);
        log = new JudgedRuns("a server's log", subject);
    }

    /** Runs a case and counts what comes of it. */
    static CorpusResults of(String subject, CorpusCase one, HandleFinder finder) {
        CorpusResults results = new CorpusResults(subject);
        results.add(one.run(finder));
        return results;
    }

    /** Runs cases, so many together that collecting garbage for each does not take longer than the cases, and counts what comes of them. */
    static CorpusResults searched(String subject, Iterable<CorpusCase> cases, SearchedHandles finder) {
        CorpusResults results = new CorpusResults(subject);
        List<Supplier<CaseRun>> waiting = new ArrayList<>();
        for (CorpusCase one : cases) {
            waiting.add(one.start(finder));
            boolean isCollectingItself = one.setting().releasesWhatIsCollected();
            if (waiting.size() >= (isCollectingItself ? COLLECTING_CASES_TOGETHER : CASES_TOGETHER)) {
                results.addAll(waiting, finder);
            }
        }
        results.addAll(waiting, finder);
        return results;
    }

    private void addAll(List<Supplier<CaseRun>> waiting, SearchedHandles finder) {
        finder.searchAll();
        waiting.forEach(run -> add(run.get()));
        waiting.clear();
    }

    private void add(CaseRun run) {
        add(run, run.full(), run.reduced());
    }

    /** Counts a case whose judgements are known already. */
    void add(CaseRun run, CorpusJudgement full, CorpusJudgement reduced) {
        cases++;
        run.contradictions().forEach(contradiction -> contradictions.add(run.subject() + ": " + contradiction));
        whole.add(run.subject(), full);
        log.add(run.subject(), reduced);
        countClean(run, full, reduced);
        // A log knows no close, so it is asked for what was left at the check.
        GroundTruth atTheCheck = run.truth().withoutCloses();
        if (!run.truth().isAMeshOpen() && run.allowed().entries().isEmpty() && atTheCheck.showsInTheLog()) {
            countShown(run, atTheCheck.isMemoryMissing(), reduced.outcomeOfMemory());
        }
    }

    private void countShown(CaseRun run, boolean isMemoryMissing, Outcome outcome) {
        boolean isCalledLeak = outcome == Outcome.LEAKED || outcome == Outcome.FREED_LATE;
        if (isCalledLeak) {
            foundLeaks += isMemoryMissing ? 1 : 0;
            inventedLeaks += isMemoryMissing ? 0 : 1;
        } else if (isMemoryMissing && outcome != Outcome.INCONCLUSIVE) {
            missedLeaks.add(run.subject() + ": " + outcome);
        }
    }

    private void countClean(CaseRun run, CorpusJudgement full, CorpusJudgement reduced) {
        Set<Outcome> truth = run.truth().outcomes();
        if (truth.equals(Set.of(Outcome.MISREPORTED))) {
            misreportedCases++;
        }
        if (truth.equals(Set.of(Outcome.LEAK_FREE))) {
            cleanCases++;
            for (CorpusJudgement judgement : List.of(full, reduced)) {
                if (judgement.outcomeOfMemory() != Outcome.LEAK_FREE) {
                    falseAlarms.add(run.subject() + ": " + judgement.verdict());
                }
            }
        }
    }

    /** Returns the verdicts on whole histories. */
    JudgedRuns whole() {
        return whole;
    }

    /** Returns the verdicts on what a server's log holds. */
    JudgedRuns log() {
        return log;
    }

    /** Returns where the truth is in doubt. */
    List<String> contradictions() {
        return contradictions;
    }

    /** Returns which clean programs were not called so. */
    List<String> falseAlarms() {
        return falseAlarms;
    }

    /** Returns the runs whose log shows that memory is missing, and is said to miss none. */
    List<String> missedLeaks() {
        return missedLeaks;
    }

    /** Returns the share of leaks among the runs that are called so, if the log shows whether they are. */
    double shareOfLeaksThatIsRight() {
        return foundLeaks / (double) (foundLeaks + inventedLeaks);
    }

    int cases() {
        return cases;
    }

    int cleanCases() {
        return cleanCases;
    }

    int misreportedCases() {
        return misreportedCases;
    }
}
