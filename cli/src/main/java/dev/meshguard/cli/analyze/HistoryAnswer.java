package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.event.Quantities;
import dev.meshguard.report.VerdictReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The answer about a history in JSON Lines.
 *
 * @param name the name of the file
 * @param events the number of its events
 * @param judgement the verdict on it
 */
record HistoryAnswer(String name, int events, Judgement judgement) implements Answer {

    @Override
    public Kind kind() {
        return Kind.HISTORY;
    }

    @Override
    public ExitStatus status() {
        return judgement.status();
    }

    @Override
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(name + ": " + Quantities.count(events, "event") + " (history)");
        lines.add("");
        judgement.addText(lines);
        return lines;
    }

    @Override
    public void write(JsonDocument json) throws IOException {
        json.field("events", events);
    }

    @Override
    public Optional<VerdictReport> report() {
        return Optional.of(judgement.report());
    }
}
