package dev.meshguard.verification.corpus;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import dev.meshguard.verification.corpus.matrix.CorpusJudgement;
import dev.meshguard.verification.corpus.matrix.CorpusJudgement.Rigour;
import dev.meshguard.verification.corpus.truth.GroundTruth;
import java.util.List;

/**
 * The result of one case.
 *
 * @param subject the case
 * @param truth the ground truth
 * @param history the tracker's history
 * @param allowed the expected buffers
 * @param contradictions the differences between the allocators and the ground truth; empty unless the label is unreliable
 */
public record CaseRun(
        CorpusCase subject,
        GroundTruth truth,
        AllocationHistory history,
        ExpectedBuffers allowed,
        List<String> contradictions) {

    /** Returns what the verdict on the whole history says. */
    public CorpusJudgement full() {
        return new CorpusJudgement(
                LeakCheck.create().expecting(allowed).examine(history), truth, request -> request, Rigour.EVERY_CAUSE);
    }

    /** Returns what the verdict says on what a server's log would have held, without an allowlist: its entries may speak of what is not there. */
    public CorpusJudgement reduced() {
        ServerLogReduction reduction = new ServerLogReduction(history);
        return new CorpusJudgement(
                LeakCheck.create().examine(reduction.history()),
                truth.withoutCloses(),
                reduction::originalOf,
                Rigour.NO_WRONG_CAUSE);
    }
}
