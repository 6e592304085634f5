package dev.meshguard.cli.analyze;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.cli.common.Table;
import dev.meshguard.event.Origin;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The answer about a file that the runtime wrote, for one rank.
 *
 * @param output the content of the file
 * @param judgement the verdict on it
 */
record OutputAnswer(RuntimeOutput output, FileVerdict judgement) {

    private static final int MAX_BUFFERS = 10;
    private static final String NOTHING = "-";

    /** Returns the answer. */
    FileAnswer answer() {
        FileAnswer.Kind kind = isCapture() ? FileAnswer.Kind.CAPTURE : FileAnswer.Kind.DATABASE;
        return judgement.answer(kind, output.name(), headline(), this::addSections, this::write);
    }

    private boolean isCapture() {
        return output.format() == OutputFormat.GRAPH_CAPTURE;
    }

    // The text

    private void addSections(List<String> lines) {
        judgement.addRounds(lines);
        remaining(lines);
    }

    private String headline() {
        String records = Quantities.count(output.records(), output.format().record());
        String format = output.format().text();
        if (!isCapture()) {
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

    private void remaining(List<String> lines) {
        List<RemainingBuffer> remaining = output.remaining();
        if (remaining.isEmpty()) {
            return;
        }
        lines.add("");
        lines.add("Allocated at the end of the " + (isCapture() ? "capture" : "recording") + ": "
                + Quantities.count(remaining.size(), "buffer"));
        Table table = new Table()
                .row(isCapture() ? "node" : "address", "device", "type", "size", "allocated in", "tensors", "used by");
        remaining.stream()
                .limit(MAX_BUFFERS)
                .forEach(buffer -> table.row(
                        isCapture() ? buffer.node().orElseThrow() : address(buffer),
                        buffer.device(),
                        buffer.type(),
                        Quantities.size(buffer.size()),
                        allocatedIn(buffer),
                        joined(buffer.tensors().stream()
                                .map(OutputAnswer::tensorName)
                                .toList()),
                        joined(buffer.tensors().stream()
                                .flatMap(tensor -> tensor.users().stream())
                                .distinct()
                                .toList())));
        lines.addAll(table.lines());
        if (remaining.size() > MAX_BUFFERS) {
            lines.add(String.format(Locale.ROOT, "  … and %d more; --json shows all", remaining.size() - MAX_BUFFERS));
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

    private static String tensorName(RemainingBuffer.Tensor tensor) {
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

    // The JSON

    private void write(JsonDocument json) throws IOException {
        json.field("rank", output.rank());
        json.field(isCapture() ? "nodes" : "operations", output.records());
        json.field("reports", output.reports());
        judgement.writeRounds(json);
        json.objects("remaining", output.remaining(), buffer -> {
            json.field("node", buffer.node());
            json.field("device", buffer.device());
            json.field("type", buffer.type());
            json.field("address", buffer.address());
            json.field("size", buffer.size());
            json.field("operation", buffer.operation());
            json.field("origin", buffer.origin().map(Origin::frames));
            json.objects("tensors", buffer.tensors(), tensor -> {
                json.field("node", tensor.node());
                json.field("id", tensor.id());
                json.field("shape", tensor.shape());
                json.field("users", tensor.users());
            });
        });
    }
}
