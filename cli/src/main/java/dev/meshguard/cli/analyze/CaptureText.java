package dev.meshguard.cli.analyze;

import dev.meshguard.capture.CircularBufferUse;
import dev.meshguard.capture.GraphCapture;
import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.cli.common.Table;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The terminal output of {@code analyze} for one graph capture. */
final class CaptureText {

    private static final String NOTHING = "-";

    private final CaptureAnalysis analysis;
    private final GraphCapture capture;
    private final int mostBuffers;
    private final List<String> lines = new ArrayList<>();

    CaptureText(CaptureAnalysis analysis, int mostBuffers) {
        this.analysis = analysis;
        this.capture = analysis.capture();
        this.mostBuffers = mostBuffers;
    }

    List<String> lines() {
        lines.add(String.format(
                Locale.ROOT,
                "%s: %s, %d of them %s a buffer (graph capture)",
                capture.name(),
                Quantities.count(capture.nodes(), "node"),
                capture.reports(),
                capture.reports() == 1 ? "reports" : "report"));
        lines.add("");
        analysis.report().text().lines().forEach(lines::add);
        remaining();
        circularBuffers();
        return lines;
    }

    private void remaining() {
        List<RemainingBuffer> remaining = capture.remaining();
        if (remaining.isEmpty() || mostBuffers == 0) {
            return;
        }
        lines.add("");
        lines.add("Allocated at the end of the capture: " + Quantities.count(remaining.size(), "buffer"));
        Table table = new Table().row("node", "device", "type", "size", "allocated in", "tensors", "used by");
        remaining.stream()
                .limit(mostBuffers)
                .forEach(buffer -> table.row(
                        buffer.node(),
                        buffer.device(),
                        buffer.type(),
                        Quantities.size(buffer.size()),
                        PrintableText.line(buffer.operation().orElse(NOTHING)),
                        joined(buffer.tensors().stream().map(CaptureText::name).toList()),
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

    private static String name(RemainingBuffer.Tensor tensor) {
        String id = tensor.id().isPresent() ? String.valueOf(tensor.id().getAsLong()) : "of node " + tensor.node();
        return tensor.shape().map(shape -> id + " " + shape).orElse(id);
    }

    private static String joined(List<String> texts) {
        return texts.isEmpty()
                ? NOTHING
                : texts.stream().map(PrintableText::line).collect(Collectors.joining(", "));
    }

    private void circularBuffers() {
        if (capture.circularBuffers().isEmpty()) {
            return;
        }
        lines.add("");
        lines.add("Circular buffers, which no verdict judges:");
        Table table = new Table().row("device", "placed", "in a buffer", "peak of a core");
        for (CircularBufferUse use : capture.circularBuffers()) {
            table.row(use.device(), use.placed(), use.borrowed(), Quantities.size(use.peakBytesPerCore()));
        }
        lines.addAll(table.lines());
    }
}
