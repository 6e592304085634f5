package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.cli.input.Input;
import dev.meshguard.event.Quantities;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.verdict.growth.Trend;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The answer about a file that is read as a history: what it is, the verdict, and what its kind adds. */
class HistoryAnswer implements FileAnswer {

    private final Input.Recording file;
    private final FileVerdict verdict;

    HistoryAnswer(Input.Recording file, FileVerdict verdict) {
        this.file = file;
        this.verdict = verdict;
    }

    @Override
    public final Input.Recording file() {
        return file;
    }

    /** Memory that grows is a leak. */
    @Override
    public final ExitStatus status() {
        boolean grows =
                verdict.rounds().filter(over -> over.trend() == Trend.GROWING).isPresent();
        return grows ? verdict.status().orWorse(ExitStatus.LEAKED) : verdict.status();
    }

    @Override
    public final List<String> text() {
        List<String> lines = new ArrayList<>(List.of(file.name() + ": " + description(), ""));
        verdict.report().text().lines().forEach(lines::add);
        addSections(lines);
        return lines;
    }

    /** Returns what is in the file, for the first line. */
    String description() {
        return Quantities.count(events(), "event") + " (history)";
    }

    private int events() {
        return file.history().events().size();
    }

    /** Adds the sections behind the verdict, each with a blank line before it. */
    void addSections(List<String> lines) {}

    /** Adds the growth over the rounds, if there are any. */
    final void addRounds(List<String> lines) {
        verdict.rounds().ifPresent(growth -> {
            lines.add("");
            AccumulationReport.of(growth).text().lines().forEach(lines::add);
        });
    }

    @Override
    public final Map<String, Object> fields() {
        Map<String, Object> fields = content();
        fields.put(
                "verdict",
                new JsonDocument.Verbatim(VerdictJson.text(verdict.report()).strip()));
        return fields;
    }

    /** Returns the fields before the verdict. */
    Map<String, Object> content() {
        return JsonDocument.object("events", events());
    }

    /** Returns the value of the field with the growth over the rounds, if there are any. */
    final Optional<Map<String, Object>> rounds() {
        return verdict.rounds()
                .map(growth -> JsonDocument.object(
                        "count", growth.rounds(), "trend", growth.trend(), "doubts", growth.inconclusiveReasons()));
    }
}
