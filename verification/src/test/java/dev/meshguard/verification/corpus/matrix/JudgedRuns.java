package dev.meshguard.verification.corpus.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The verdicts on many runs, all read in one way, beside the truth. */
public final class JudgedRuns {

    private final ConfusionMatrix causes;
    private final ConfusionMatrix outcomes;
    private final List<String> wrongs = new ArrayList<>();

    /**
     * Creates an empty one.
     *
     * @param reading the way in which runs are read: {@code a server's log}
     * @param subject the runs
     */
    public JudgedRuns(String reading, String subject) {
        causes = new ConfusionMatrix(String.format(Locale.ROOT, "Causes, %s, %s: buffers", reading, subject));
        outcomes = new ConfusionMatrix(String.format(Locale.ROOT, "Outcomes, %s, %s: cases", reading, subject));
    }

    /** Counts what a verdict says about a run, its missing memory excluded. */
    public void add(Object run, CorpusJudgement judgement) {
        judgement
                .buffers()
                .forEach(told -> causes.count(told.truth().row(told.judged()), told.judged(), told.isRight()));
        outcomes.count(judgement.trueOutcome(), judgement.outcomeOfMemory().name(), judgement.isOutcomeRight());
        judgement.wrongs().forEach(wrong -> wrongs.add(run + ": " + wrong));
    }

    /** Returns the reported causes against the true causes. */
    public ConfusionMatrix causes() {
        return causes;
    }

    /** Returns what is wrong with the verdicts. */
    public List<String> wrongs() {
        return wrongs;
    }

    /** Returns the matrices. */
    @Override
    public String toString() {
        return causes + "\n" + outcomes;
    }
}
