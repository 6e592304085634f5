package dev.meshguard.samples.corpus;

import dev.meshguard.samples.corpus.matrix.Judgement;
import dev.meshguard.samples.corpus.matrix.Judgement.Rigour;
import dev.meshguard.samples.corpus.stage.Road;
import dev.meshguard.samples.corpus.truth.GroundTruth;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;

/**
 * What came of one case.
 *
 * @param subject the case
 * @param truth what is true
 * @param road what arrived
 * @param history what the tracker made of it
 * @param allowed what may stay
 * @param contradictions where the allocators held something else than the truth says; empty unless the label is in doubt
 */
public record CaseRun(
        CorpusCase subject,
        GroundTruth truth,
        Road road,
        AllocationHistory history,
        ExpectedBuffers allowed,
        List<String> contradictions) {

    /** Returns what the verdict on the whole history says. */
    public Judgement full() {
        return new Judgement(
                LeakCheck.create().expecting(allowed).examine(history),
                truth,
                road,
                request -> request,
                Rigour.EVERY_CAUSE);
    }

    /** Returns what the verdict says on what a server's log would have held, without an allowlist: its entries may speak of what is not there. */
    public Judgement reduced() {
        ServerLogReduction reduction = new ServerLogReduction(history);
        return new Judgement(
                LeakCheck.create().examine(reduction.history()),
                truth.withoutCloses(),
                road,
                reduction::originalOf,
                Rigour.NO_WRONG_CAUSE);
    }
}
