package dev.meshguard.verification.corpus;

import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verification.corpus.matrix.ConfusionMatrix;
import dev.meshguard.verification.corpus.matrix.CorpusJudgement;
import dev.meshguard.verification.corpus.matrix.ToolScores;
import dev.meshguard.verification.corpus.stage.HandleFinder;
import dev.meshguard.verification.corpus.stage.SearchedHandles;
import dev.meshguard.verification.corpus.truth.GroundTruth;
import dev.meshguard.verification.corpus.truth.TrueCause;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The counted results of many cases. */
final class CorpusResults {

    /** Rows that have a cause first, then those that have none, then what only a verdict says. */
    private static final List<String> ORDER = Stream.of(
                    Stream.of(Cause.values()).map(Enum::name),
                    Stream.of(TrueCause.values()).map(Enum::name),
                    Stream.of(Outcome.values()).map(Enum::name),
                    Stream.of(CorpusJudgement.NOTHING))
            .flatMap(names -> names)
            .distinct()
            .toList();

    private static final int CASES_TOGETHER = 100;

    /** Each of these collects garbage several times, which takes the longer the more cases wait. */
    private static final int COLLECTING_CASES_TOGETHER = 10;

    /** What the row is called of verdicts on what a server's log holds. */
    static final String LOG = "MeshGuard, a server's log";

    /** What the row is called of verdicts on whole histories. */
    static final String WHOLE_HISTORY = "MeshGuard, whole history";

    private static final List<String> OUTCOMES =
            Stream.of(Outcome.values()).map(Enum::name).toList();

    private final ConfusionMatrix causes;
    private final ConfusionMatrix outcomes;
    private final ConfusionMatrix causesOfTheLog;
    private final ConfusionMatrix outcomesOfTheLog;
    private final ToolScores scores = new ToolScores();
    private final UndecidedReasons reasons = new UndecidedReasons();
    private final WrittenOutputs outputs = new WrittenOutputs(7, 53);
    private final List<String> wrongs = new ArrayList<>();
    private final List<String> wrongsOfTheLog = new ArrayList<>();
    private final List<String> contradictions = new ArrayList<>();
    private final List<String> falseAlarms = new ArrayList<>();
    private int cases;
    private int cleanCases;
    private int misreportedCases;

    CorpusResults(String subject) {
        causes = new ConfusionMatrix("Causes, whole history, " + subject + ": buffers", ORDER);
        outcomes = new ConfusionMatrix("Outcomes, whole history, " + subject + ": cases", OUTCOMES);
        causesOfTheLog = new ConfusionMatrix("Causes, a server's log, " + subject + ": buffers", ORDER);
        outcomesOfTheLog = new ConfusionMatrix("Outcomes, a server's log, " + subject + ": cases", OUTCOMES);
    }

    /** Runs cases and counts what comes of them. */
    static CorpusResults of(String subject, Iterable<CorpusCase> cases, HandleFinder finder) {
        CorpusResults results = new CorpusResults(subject);
        cases.forEach(one -> results.add(one.run(finder)));
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

    void add(CaseRun run) {
        add(run, run.full(), run.reduced());
    }

    /** Counts a case whose judgements are known already. */
    void add(CaseRun run, CorpusJudgement full, CorpusJudgement reduced) {
        cases++;
        run.contradictions().forEach(contradiction -> contradictions.add(run.subject() + ": " + contradiction));
        count(full, causes, outcomes);
        count(reduced, causesOfTheLog, outcomesOfTheLog);
        full.wrongs().forEach(wrong -> wrongs.add(run.subject() + ": " + wrong));
        reduced.wrongs().forEach(wrong -> wrongsOfTheLog.add(run.subject() + ": " + wrong));
        countClean(run, full, reduced);
        outputs.add(run);
        if (!run.truth().isAMeshOpen() && run.allowed().entries().isEmpty()) {
            score(run, full, reduced);
        }
    }

    private static void count(CorpusJudgement judgement, ConfusionMatrix causes, ConfusionMatrix outcomes) {
        judgement
                .buffers()
                .forEach(told -> causes.count(told.truth().row(told.judged()), told.judged(), told.isRight()));
        outcomes.count(judgement.trueOutcome(), judgement.outcomeOfMemory().name(), judgement.isOutcomeRight());
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

    private void score(CaseRun run, CorpusJudgement full, CorpusJudgement reduced) {
        // A log knows no close, so it is asked for what was left at the check.
        GroundTruth atTheCheck = run.truth().withoutCloses();
        ToolScores.Truth log = new ToolScores.Truth(atTheCheck.isMemoryMissing(), atTheCheck.showsInTheLog());
        scores.count(LOG, log, reduced.outcomeOfMemory());
        reasons.count(reduced.verdict(), log.isMemoryMissing());
        boolean canBeKnown = !run.truth().outcomes().equals(EnumSet.allOf(Outcome.class));
        scores.count(
                WHOLE_HISTORY, new ToolScores.Truth(run.truth().isMemoryMissing(), canBeKnown), full.outcomeOfMemory());
    }

    ConfusionMatrix causes() {
        return causes;
    }

    /** Returns what is wrong with verdicts on whole histories. */
    List<String> wrongs() {
        return wrongs;
    }

    /** Returns what is wrong with verdicts on what a server's log holds. */
    List<String> wrongsOfTheLog() {
        return wrongsOfTheLog;
    }

    /** Returns where the truth is in doubt. */
    List<String> contradictions() {
        return contradictions;
    }

    /** Returns which clean programs were not called so. */
    List<String> falseAlarms() {
        return falseAlarms;
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

    ToolScores scores() {
        return scores;
    }

    UndecidedReasons reasons() {
        return reasons;
    }

    /** Returns what the runs are as files of the runtime. */
    WrittenOutputs outputs() {
        return outputs;
    }

    /** Returns the matrices on whole histories as text. */
    String fullText() {
        return causes + "\n" + outcomes;
    }

    /** Returns the matrices on what a server's log holds as text. */
    String logText() {
        return causesOfTheLog + "\n" + outcomesOfTheLog;
    }
}
