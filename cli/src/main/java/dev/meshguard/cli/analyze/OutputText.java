package dev.meshguard.cli.analyze;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.cli.common.Table;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The terminal output of {@code analyze} for a file that the runtime wrote. */
final class OutputText {

    private static final String NOTHING = "-";

    private final OutputAnalysis analysis;
    private final RuntimeOutput output;
    private final int mostBuffers;
    private final List<String> lines = new ArrayList<>();

    OutputText(OutputAnalysis analysis, int mostBuffers) {
        this.analysis = analysis;
        this.output = analysis.output();
        this.mostBuffers = mostBuffers;
    }

    List<String> lines() {
        lines.add(headline());
        lines.add("");
        analysis.report().text().lines().forEach(lines::add);
        LogText.rounds(analysis, lines);
        remaining();
        return lines;
    }

    private String headline() {
        String records = Quantities.count(output.records(), output.format().record());
        String format = output.format().text();
        if (output.format() == OutputFormat.REPORT_DATABASE) {
            String rank = output.rank().isPresent() ? ", rank " + output.rank().getAsInt() : "";
            return String.format(
                    Locale.ROOT,
                    "%s: %s, %s in their snapshots (%s%s)",
                    output.name(),
                    records,
                    Quantities.count(output.reports(), "buffer"),
                    format,
                    rank);
        }
        return String.format(
                Locale.ROOT,
                "%s: %s, %d of them %s a buffer (%s)",
                output.name(),
                records,
                output.reports(),
                output.reports() == 1 ? "reports" : "report",
                format);
    }

    private void remaining() {
        List<RemainingBuffer> remaining = output.remaining();
        if (remaining.isEmpty() || mostBuffers == 0) {
            return;
        }
        lines.add("");
        boolean hasNodes = output.format() == OutputFormat.GRAPH_CAPTURE;
        lines.add("Allocated at the end of the " + noun() + ": " + Quantities.count(remaining.size(), "buffer"));
        Table table = new Table()
                .row(hasNodes ? "node" : "address", "device", "type", "size", "allocated in", "tensors", "used by");
        remaining.stream()
                .limit(mostBuffers)
                .forEach(buffer -> table.row(
                        hasNodes ? buffer.node().orElseThrow() : address(buffer),
                        buffer.device(),
                        buffer.type(),
                        Quantities.size(buffer.size()),
                        allocatedIn(buffer),
                        joined(buffer.tensors().stream().map(OutputText::name).toList()),
                        joined(buffer.tensors().stream()
                                .flatMap(tensor -> tensor.users().stream())
                                .distinct()
                                .toList())));
        lines.addAll(table.lines());
        if (remaining.size() > mostBuffers) {
            lines.add(String.format(
                    Locale.ROOT, "  … and %d more; --addresses N shows N, --json all", remaining.size() - mostBuffers));
        }
    }

    private static String allocatedIn(RemainingBuffer buffer) {
        String operation = PrintableText.line(buffer.operation().orElse(NOTHING));
        return buffer.origin()
                .flatMap(origin -> origin.frames().stream().findFirst())
                .map(frame ->
                        operation + " at " + PrintableText.line(frame.getFileName() + ":" + frame.getLineNumber()))
                .orElse(operation);
    }

    private static String address(RemainingBuffer buffer) {
        return String.format(Locale.ROOT, "0x%x", buffer.address().orElseThrow());
    }

    private String noun() {
        return output.format() == OutputFormat.GRAPH_CAPTURE ? "capture" : "recording";
    }

    private static String name(RemainingBuffer.Tensor tensor) {
        String id = tensor.id().isPresent()
                ? String.valueOf(tensor.id().getAsLong())
                : "of node " + tensor.node().orElseThrow();
        return tensor.shape().map(shape -> id + " " + shape).orElse(id);
    }

    private static String joined(List<String> texts) {
        return texts.isEmpty()
                ? NOTHING
                : texts.stream().map(PrintableText::line).collect(Collectors.joining(", "));
    }
}
