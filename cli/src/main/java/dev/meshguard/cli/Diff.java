package dev.meshguard.cli;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.Terminal;
import dev.meshguard.cli.terminal.UsageException;
import dev.meshguard.report.DifferenceReport;
import dev.meshguard.text.PrintableText;
import dev.meshguard.verdict.difference.HistoryDifference;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command {@code diff}: compares two recorded runs, or two memory reports. */
@Command(
        name = "diff",
        description = "Says what a run asks for and leaves otherwise than an earlier one.",
        footer = {
            "",
            "Runs are compared by what they have in common: the line of code that asks (where it is known, else the size), the"
                    + " memory and the label, over all devices, and the peak of each device. Addresses and line numbers are"
                    + " ignored, so an edit above a leak is no difference.",
            "",
            "Two memory reports (CSV) are compared by the bytes in each memory, and by the blocks of a bank if both have them.",
            "",
            "Examples:",
            "  meshguard diff yesterday.jsonl today.jsonl",
            "  meshguard diff run1.log.gz run2.log.gz",
            "  meshguard diff after_load_detailed_memory_usage.csv after_run_detailed_memory_usage.csv"
        })
final class Diff implements Subcommand {

    /** For each run. */
    private static final int MAX_LOSSES = 5;

    @Parameters(
            index = "0",
            paramLabel = "BEFORE",
            description =
                    "The earlier run: a history in JSON Lines, a log, a graph capture or a database, plain or compressed; or a memory"
                            + " report; - reads standard input.")
    private String earlier = "";

    @Parameters(index = "1", paramLabel = "AFTER", description = "The later run, or a later memory report.")
    private String later = "";

    @Mixin
    private InputReader reader = new InputReader();

    @Override
    public int run(Terminal terminal) throws UsageException {
        if (earlier.equals(InputReader.STANDARD_INPUT) && later.equals(InputReader.STANDARD_INPUT)) {
            throw new UsageException(
                    "diff reads standard input once, and - is given twice: give the path of one of them.");
        }
        List<Input> files = List.of(reader.readOne(earlier, terminal.in()), reader.readOne(later, terminal.in()));
        reader.rejectUnusedRank(files);
        Comparison comparison = compare(files.get(0), files.get(1));
        comparison.lines().forEach(terminal.out()::println);
        return comparison.status().code();
    }

    private static Comparison compare(Input before, Input after) throws UsageException {
        if (before instanceof Input.Recording runBefore && after instanceof Input.Recording runAfter) {
            return ofRuns(runBefore, runAfter);
        }
        if (before instanceof Input.Moment momentBefore
                && after instanceof Input.Moment momentAfter
                && momentBefore.memory() instanceof MemoryReport reportBefore
                && momentAfter.memory() instanceof MemoryReport reportAfter) {
            return ReportDifference.between(reportBefore, reportAfter);
        }
        throw new UsageException(before.name() + " is " + before.kind().text() + ", and " + after.name() + " is "
                + after.kind().text() + ": give two runs, or two memory reports.");
    }

    /** Compares runs; those with lost reports may differ in what is missing. */
    private static Comparison ofRuns(Input.Recording before, Input.Recording after) {
        HistoryDifference difference = HistoryDifference.between(before.history(), after.history());
        boolean leavesMore = difference.changes().stream()
                .anyMatch(change -> change.additionalLiveBytes() > 0
                        || change.after().liveBuffers() > change.before().liveBuffers());
        List<String> losses = new ArrayList<>();
        for (Input.Recording run : List.of(before, after)) {
            run.history().lostReports().stream()
                    .limit(MAX_LOSSES)
                    .forEach(lost -> losses.add(run.name() + " is not whole: " + lost.reason()));
        }
        List<String> text = DifferenceReport.of(difference).text().lines().toList();
        return new Comparison(difference.isEmpty(), leavesMore, text, losses);
    }

    /**
     * The result of a comparison.
     *
     * @param isSame whether it found no difference
     * @param leavesMore whether more is live somewhere at the end of the later one
     * @param text the lines about the differences, a headline first
     * @param losses what could not be compared, as whole sentences
     */
    record Comparison(boolean isSame, boolean leavesMore, List<String> text, List<String> losses) {

        ExitStatus status() {
            if (leavesMore) {
                return ExitStatus.LEAKED;
            }
            if (!losses.isEmpty()) {
                return ExitStatus.INCONCLUSIVE;
            }
            return isSame ? ExitStatus.CLEAN : ExitStatus.DIFFERENT;
        }

        List<String> lines() {
            List<String> lines = new ArrayList<>(text);
            if (status() == ExitStatus.INCONCLUSIVE) {
                String what = isSame ? "no difference" : "no more memory";
                lines.set(0, "INCONCLUSIVE  " + what + " in what can be compared");
            }
            losses.forEach(loss -> lines.add("note    " + PrintableText.line(loss)));
            return lines;
        }
    }
}
