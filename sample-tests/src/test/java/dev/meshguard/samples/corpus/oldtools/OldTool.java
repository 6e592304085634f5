package dev.meshguard.samples.corpus.oldtools;

import java.util.List;

/** Decides from a server's log whether memory leaked. */
public interface OldTool {

    /** Returns by which name the field knows it. */
    String name();

    /** Returns how many things it calls leaked. */
    int leaks(List<LogLine> log);

    /** Returns every reading there is. */
    static List<OldTool> all() {
        return List.of(
                new AnalyzeBufferLog(),
                new CorrelateLeakedBuffers(),
                new AnalyzeRemainingBufferSizes(),
                new DiagnoseAccumulation(),
                new OldServerTotals(OldServerTotals.Counting.EVERY_REPORT, false),
                new OldServerTotals(OldServerTotals.Counting.EVERY_REPORT, true),
                new OldServerTotals(OldServerTotals.Counting.REFERENCES, false),
                new OldServerTotals(OldServerTotals.Counting.REFERENCES, true));
    }
}
