package dev.meshguard.cli.run;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.report.DifferenceReport;
import dev.meshguard.verdict.difference.DeviceDifference;
import dev.meshguard.verdict.difference.HistoryDifference;
import dev.meshguard.verdict.difference.HistoryDifference.UsageChange;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
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
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nRuns:%n",
        footer = {
            "",
            "Runs are compared by what they have in common: the line of code that asks (where it is known, else the size), the"
                    + " memory and the label, over all devices, and the peak of each device. Addresses and line numbers are"
                    + " ignored, so an edit above a leak is no difference.",
            "",
            "Two memory reports (CSV), or copies of the shared memory of a device, are compared by the bytes in each memory, and by"
                    + " the blocks of a bank if both reports have them.",
            "",
            "Exit status:",
            "  0   they use memory alike",
            "  1   more is live somewhere in the later one, or devices of one run differ in what is live",
            "  2   of two moments, some memory cannot be compared, and nowhere in the rest is more live",
            "  5   they differ, and nowhere is more live",
            "  64  wrong usage, or a file that cannot be read",
            "  74  the answer could not be written",
            "",
            "Examples:",
            "  meshguard diff yesterday.jsonl today.jsonl",
            "  meshguard diff --json run1.log.gz run2.log.gz",
            "  meshguard diff --devices server.log",
            "  meshguard diff after_load_detailed_memory_usage.csv after_run_detailed_memory_usage.csv"
        })
public final class Diff implements Callable<Integer> {

    @Parameters(
            paramLabel = "FILE",
            arity = "1..2",
            description =
                    "The earlier and the later run: histories in JSON Lines, logs, graph captures or databases, plain or gzip; or two"
                            + " memory reports or copies of shared memory; - reads standard input.")
    private List<String> files = List.of();

    @Mixin
    private RankOption rank = new RankOption();

    @Option(names = "--devices", description = "Compare the devices of one run with one another.")
    private boolean devices;

    @Option(names = "--json", description = "Answer with one JSON document.")
    private boolean asJson;

    @Spec
    private CommandSpec command = CommandSpec.create();

    private final InputStream standardInput;

    public Diff(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws UsageException, IOException {
        if (devices ? files.size() != 1 : files.size() != 2) {
            throw new UsageException(
                    devices
                            ? "--devices compares the devices of one run: give one file, or leave --devices out."
                            : "diff compares two runs: give a second file, or --devices to compare the devices of one.");
        }
        return devices ? ofDevices() : ofTwo();
    }

    private int ofTwo() throws UsageException, IOException {
        if (files.stream().allMatch("-"::equals)) {
            throw new UsageException(
                    "diff reads standard input once, and - is given twice: give the path of one of them.");
        }
        RecordedInput before = rank.readAny(files.get(0), standardInput);
        RecordedInput after = rank.readAny(files.get(1), standardInput);
        rank.rejectUnused(before, after);
        if (before instanceof RecordedFile earlier && after instanceof RecordedFile later) {
            return ofRuns(earlier, later);
        }
        if (before instanceof RecordedInput.Moment earlier && after instanceof RecordedInput.Moment later) {
            return ofMoments(earlier, later);
        }
        boolean isFirst = before instanceof RecordedInput.Moment;
        throw new UsageException(String.format(
                Locale.ROOT,
                "%s has the memory of one moment, and %s is a run: give two runs, or two moments.",
                isFirst ? before.name() : after.name(),
                isFirst ? after.name() : before.name()));
    }

    private int ofMoments(RecordedInput.Moment before, RecordedInput.Moment after) throws UsageException, IOException {
        MomentDifference difference = MomentDifference.between(before.memory(), after.memory());
        if (asJson) {
            new DifferenceJson(out()).write(List.of(before.name(), after.name()), difference);
        } else {
            difference.lines().forEach(out()::println);
            out().flush();
        }
        return difference.status().code();
    }

    private int ofRuns(RecordedFile before, RecordedFile after) throws IOException {
        HistoryDifference difference = HistoryDifference.between(before.history(), after.history());
        ExitStatus status = status(difference);
        if (asJson) {
            new DifferenceJson(out()).write(List.of(before.name(), after.name()), status, difference);
        } else {
            print(DifferenceReport.of(difference));
        }
        return status.code();
    }

    private int ofDevices() throws UsageException, IOException {
        RecordedFile run = rank.read(files.get(0), standardInput);
        rank.rejectUnused(run);
        DeviceDifference difference = DeviceDifference.of(run.history());
        ExitStatus status = status(difference);
        if (asJson) {
            new DifferenceJson(out()).write(run.name(), status, difference);
        } else {
            print(DifferenceReport.of(difference));
        }
        return status.code();
    }

    private static ExitStatus status(HistoryDifference difference) {
        if (difference.isEmpty()) {
            return ExitStatus.CLEAN;
        }
        boolean leavesMore = difference.changes().stream().anyMatch(Diff::leavesMore);
        return leavesMore ? ExitStatus.LEAKED : ExitStatus.DIFFERENT;
    }

    private static boolean leavesMore(UsageChange change) {
        return change.additionalLiveBytes() > 0
                || change.after().liveBuffers() > change.before().liveBuffers();
    }

    private static ExitStatus status(DeviceDifference difference) {
        if (difference.isEmpty()) {
            return ExitStatus.CLEAN;
        }
        boolean leavesMore = difference.deviations().stream()
                .anyMatch(deviation -> deviation.others().values().stream()
                        .anyMatch(usage -> usage.liveBuffers()
                                        != deviation.usual().liveBuffers()
                                || usage.liveBytes() != deviation.usual().liveBytes()));
        return leavesMore ? ExitStatus.LEAKED : ExitStatus.DIFFERENT;
    }

    private void print(DifferenceReport report) {
        report.text().lines().forEach(out()::println);
        out().flush();
    }

    private PrintWriter out() {
        return command.commandLine().getOut();
    }
}
