package dev.meshguard.cli.run;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.cli.input.Input;
import dev.meshguard.cli.input.InputReader;
import dev.meshguard.event.Origin;
import dev.meshguard.event.PrintableText;
import dev.meshguard.report.DifferenceReport;
import dev.meshguard.verdict.AllocationSite;
import dev.meshguard.verdict.difference.DeviceDifference;
import dev.meshguard.verdict.difference.HistoryDifference;
import dev.meshguard.verdict.difference.HistoryDifference.UsageChange;
import dev.meshguard.verdict.difference.Usage;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares two recorded runs, or the devices of one. */
@Command(
        name = "diff",
        description = "Says what a run asks for and leaves otherwise than an earlier one.",
        footer = {
            "",
            "Runs are compared by what they have in common: the line of code that asks (where it is known, else the size), the"
                    + " memory and the label, over all devices, and the peak of each device. Addresses and line numbers are"
                    + " ignored, so an edit above a leak is no difference.",
            "",
            "Two memory reports (CSV), or copies of the shared memory of a device, are compared by the bytes in each memory, and by"
                    + " the blocks of a bank if both reports have them.",
            "",
            "Examples:",
            "  meshguard diff yesterday.jsonl today.jsonl",
            "  meshguard diff --json run1.log.gz run2.log.gz",
            "  meshguard diff --devices server.log",
            "  meshguard diff after_load_detailed_memory_usage.csv after_run_detailed_memory_usage.csv"
        })
public final class Diff implements Callable<Integer> {

    private static final String FORMAT = "meshguard-difference";
    private static final int VERSION = 2;

    /** For each run. */
    private static final int MAX_LOSSES = 5;

    @Parameters(
            paramLabel = "FILE",
            arity = "1..2",
            description =
                    "The earlier and the later run: histories in JSON Lines, logs, graph captures or databases, plain or compressed; or"
                            + " two memory reports or copies of shared memory; - reads standard input.")
    private List<String> files = List.of();

    @Mixin
    private final InputReader reader;

    @Option(names = "--devices", description = "Compare the devices of one run with one another.")
    private boolean devices;

    @Option(names = "--json", description = "FileAnswer with one JSON document.")
    private boolean asJson;

    @Spec
    private CommandSpec command = CommandSpec.create();

    public Diff(InputStream standardInput) {
        this.reader = new InputReader(standardInput);
    }

    @Override
    public Integer call() throws UsageException, IOException {
        if (devices ? files.size() != 1 : files.size() != 2) {
            throw new UsageException(
                    devices
                            ? "--devices compares the devices of one run: give one file, or leave --devices out."
                            : "diff compares two runs: give a second file, or --devices to compare the devices of one.");
        }
        return (devices ? ofDevices() : ofTwo()).code();
    }

    private ExitStatus ofTwo() throws UsageException, IOException {
        if (files.stream().allMatch(InputReader.STANDARD_INPUT::equals)) {
            throw new UsageException(
                    "diff reads standard input once, and - is given twice: give the path of one of them.");
        }
        Input before = reader.readOne(files.get(0));
        Input after = reader.readOne(files.get(1));
        reader.rejectUnusedRank(List.of(before, after));
        if (before instanceof Input.Recording earlier && after instanceof Input.Recording later) {
            return ofRuns(earlier, later);
        }
        if (before instanceof Input.Moment earlier && after instanceof Input.Moment later) {
            MomentDifference difference = MomentDifference.between(earlier, later);
            print(List.of(before, after), difference.status(), difference.lines(), difference::write);
            return difference.status();
        }
        boolean isFirst = before instanceof Input.Moment;
        throw new UsageException(String.format(
                Locale.ROOT,
                "%s has the memory of one moment, and %s is a run: give two runs, or two moments.",
                isFirst ? before.name() : after.name(),
                isFirst ? after.name() : before.name()));
    }

    private ExitStatus ofRuns(Input.Recording before, Input.Recording after) throws IOException {
        HistoryDifference difference = HistoryDifference.between(before.history(), after.history());
        boolean leavesMore = difference.changes().stream().anyMatch(Diff::leavesMore);
        return print(
                List.of(before, after), difference.isEmpty(), leavesMore, DifferenceReport.of(difference), json -> {
                    json.objects("changes", difference.changes(), change -> {
                        write(change.site(), change.origin(), json);
                        json.object("before", change.before(), usage -> write(usage, json));
                        json.object("after", change.after(), usage -> write(usage, json));
                    });
                    json.objects("peaks", difference.peaks(), peak -> {
                        json.field("device", peak.memory().device());
                        json.field("type", peak.memory().type());
                        json.field("before", peak.before());
                        json.field("after", peak.after());
                    });
                });
    }

    private static boolean leavesMore(UsageChange change) {
        return change.additionalLiveBytes() > 0
                || change.after().liveBuffers() > change.before().liveBuffers();
    }

    private ExitStatus ofDevices() throws UsageException, IOException {
        Input.Recording run = reader.readRecording(files.get(0));
        reader.rejectUnusedRank(List.of(run));
        DeviceDifference difference = DeviceDifference.of(run.history());
        boolean leavesOther = difference.deviations().stream()
                .anyMatch(deviation ->
                        deviation.others().values().stream().anyMatch(usage -> leavesOther(usage, deviation.usual())));
        return print(
                List.of(run),
                difference.isEmpty(),
                leavesOther,
                DifferenceReport.of(difference),
                json -> json.objects("deviations", difference.deviations(), deviation -> {
                    write(deviation.site(), deviation.origin(), json);
                    json.field("usualDevices", deviation.usualDevices());
                    json.object("usual", deviation.usual(), usage -> write(usage, json));
                    json.objects("others", deviation.others().entrySet(), other -> {
                        json.field("device", other.getKey());
                        json.object("usage", other.getValue(), usage -> write(usage, json));
                    });
                }));
    }

    private static boolean leavesOther(Usage usage, Usage usual) {
        return usage.liveBuffers() != usual.liveBuffers() || usage.liveBytes() != usual.liveBytes();
    }

    // Output

    /** Prints a comparison of runs; those with lost reports may differ in what is missing. */
    private ExitStatus print(
            List<Input.Recording> runs,
            boolean isSame,
            boolean leavesMore,
            DifferenceReport report,
            JsonDocument.Fields<JsonDocument> changes)
            throws IOException {
        List<String> text = new ArrayList<>(report.text().lines().toList());
        List<String> losses = runs.stream().flatMap(Diff::losses).toList();
        ExitStatus status = isSame ? ExitStatus.CLEAN : leavesMore ? ExitStatus.LEAKED : ExitStatus.DIFFERENT;
        if (!losses.isEmpty() && !leavesMore) {
            status = ExitStatus.INCONCLUSIVE;
            text.set(0, "INCONCLUSIVE  " + (isSame ? "no difference" : "no more memory") + " in what can be compared");
        }
        text.addAll(losses);
        print(List.copyOf(runs), status, text, changes);
        return status;
    }

    private static Stream<String> losses(Input.Recording run) {
        return run.history().lostReports().stream()
                .limit(MAX_LOSSES)
                .map(lost -> "note    " + PrintableText.line(run.name() + " is not whole: " + lost.reason()));
    }

    private void print(
            List<Input> runs, ExitStatus status, List<String> text, JsonDocument.Fields<JsonDocument> changes)
            throws IOException {
        PrintWriter out = command.commandLine().getOut();
        if (!asJson) {
            text.forEach(out::println);
            out.flush();
            return;
        }
        JsonDocument.write(out, FORMAT, VERSION, json -> {
            json.field("status", status);
            json.field("runs", runs.stream().map(reader::nameWithRank).toList());
            changes.write(json);
            json.field("text", text);
        });
    }

    private static void write(AllocationSite site, Optional<Origin> origin, JsonDocument json) throws IOException {
        json.field("type", site.type());
        json.field("callSite", site.callSite());
        json.field("size", site.size());
        json.field("label", site.label());
        json.field("line", origin.flatMap(Origin::site));
    }

    private static void write(Usage usage, JsonDocument json) throws IOException {
        json.field("buffers", usage.buffers());
        json.field("bytes", usage.bytes());
        json.field("liveBuffers", usage.liveBuffers());
        json.field("liveBytes", usage.liveBytes());
    }
}
