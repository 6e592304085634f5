package dev.meshguard.cli;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.cli.terminal.JsonDocument;
import dev.meshguard.cli.terminal.Table;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The output of a command about a file that the runtime wrote, for one rank. */
final class OutputAnswer extends HistoryAnswer {

    private static final int MAX_BUFFERS = 10;
    private static final String NOTHING = "-";

    private final RuntimeOutput output;
    private final boolean isCapture;

    OutputAnswer(Input.Recording file, RuntimeOutput output, VerdictReport report, boolean hasRounds) {
        super(file, report, hasRounds);
        this.output = output;
        this.isCapture = output.format() == OutputFormat.GRAPH_CAPTURE;
    }

    // The text

    @Override
    String description() {
        String reports = isCapture
                ? reporting(output.reports())
                : Quantities.count(output.reports(), "buffer") + " in their snapshots";
        String rank = output.rank().isPresent() ? ", rank " + output.rank().getAsInt() : "";
        return Quantities.count(output.records(), isCapture ? "node" : "operation") + ", " + reports + " ("
                + (isCapture ? "graph capture" : "report database") + rank + ")";
    }

    @Override
    Stream<List<String>> sections(String verdict) {
        return Stream.of(growth(), remaining());
    }

    private List<String> remaining() {
        List<RemainingBuffer> remaining = output.remaining();
        if (remaining.isEmpty()) {
            return List.of();
        }
        Table table = new Table()
                .row(isCapture ? "node" : "address", "device", "type", "size", "allocated in", "tensors", "used by");
        remaining.stream()
                .limit(MAX_BUFFERS)
                .forEach(buffer -> table.row(
                        isCapture
                                ? buffer.node()
                                : "0x" + Long.toHexString(buffer.address().orElseThrow()),
                        buffer.device(),
                        buffer.type(),
                        Quantities.size(buffer.size()),
                        allocatedIn(buffer),
                        joined(buffer.tensors().stream().map(OutputAnswer::tensorName)),
                        joined(buffer.tensors().stream()
                                .flatMap(tensor -> tensor.users().stream())
                                .distinct())));
        String headline = "Allocated at the end of the " + (isCapture ? "capture" : "recording") + ": "
                + Quantities.count(remaining.size(), "buffer");
        return section(headline, table, remaining.size() - MAX_BUFFERS);
    }

    private static String allocatedIn(RemainingBuffer buffer) {
        String operation = PrintableText.line(buffer.operation().orElse(NOTHING));
        return buffer.origin()
                .flatMap(origin -> origin.frames().stream().findFirst())
                .map(frame ->
                        operation + " at " + PrintableText.line(frame.getFileName() + ":" + frame.getLineNumber()))
                .orElse(operation);
    }

    private static String tensorName(RemainingBuffer.Tensor tensor) {
        String id = tensor.id().isPresent()
                ? String.valueOf(tensor.id().getAsLong())
                : "of node " + tensor.node().orElseThrow();
        return tensor.shape().map(shape -> id + " " + shape).orElse(id);
    }

    private static String joined(Stream<String> texts) {
        String all = texts.map(PrintableText::line).collect(Collectors.joining(", "));
        return all.isEmpty() ? NOTHING : all;
    }

    // The JSON

    @Override
    Map<String, Object> content() {
        return JsonDocument.object(
                "rank",
                output.rank(),
                isCapture ? "nodes" : "operations",
                output.records(),
                "reports",
                output.reports(),
                "rounds",
                rounds(),
                "remaining",
                output.remaining());
    }
}
