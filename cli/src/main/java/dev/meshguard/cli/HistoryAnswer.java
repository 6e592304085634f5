package dev.meshguard.cli;

import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.JsonDocument;
import dev.meshguard.cli.terminal.Table;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Rounds;
import dev.meshguard.verdict.growth.Trend;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The output of a command about a file that is read as a history: what it is, the verdict, and what its kind adds. */
class HistoryAnswer implements FileAnswer {

    private final Input.Recording file;
    private final VerdictReport report;
    private final Optional<Accumulation> rounds;

    /**
     * Creates the answer.
     *
     * @param report the report of the verdict on it
     * @param hasRounds whether rounds are marked in it
     */
    HistoryAnswer(Input.Recording file, VerdictReport report, boolean hasRounds) {
        this.file = file;
        this.report = report;
        this.rounds = hasRounds ? Optional.of(Accumulation.of(report.verdict(), Rounds.MARKED)) : Optional.empty();
    }

    @Override
    public final Input.Recording file() {
        return file;
    }

    /** Memory that grows is a leak. */
    @Override
    public final ExitStatus status() {
        ExitStatus verdict = ExitStatus.of(report.verdict().outcome());
        boolean grows = rounds.filter(over -> over.trend() == Trend.GROWING).isPresent();
        return grows ? verdict.orWorse(ExitStatus.LEAKED) : verdict;
    }

    @Override
    public final List<String> text() {
        String verdict = report.text();
        List<String> lines = new ArrayList<>(List.of(file.name() + ": " + description(), ""));
        verdict.lines().forEach(lines::add);
        sections(verdict).filter(section -> !section.isEmpty()).forEach(section -> {
            lines.add("");
            lines.addAll(section);
        });
        return lines;
    }

    /** Returns what is in the file, for the first line. */
    String description() {
        return Quantities.count(events(), "event") + " (history)";
    }

    private int events() {
        return file.history().events().size();
    }

    static String reporting(long reports) {
        return reports + " of them " + (reports == 1 ? "reports" : "report") + " a buffer";
    }

    /**
     * Returns the lines of each section behind the verdict.
     *
     * @param verdict the text of the verdict
     */
    Stream<List<String>> sections(String verdict) {
        return Stream.of();
    }

    /** Returns a section with a table, of which it prints some rows only. */
    static List<String> section(String headline, Table table, int otherRows) {
        List<String> lines = new ArrayList<>(List.of(headline));
        lines.addAll(table.lines());
        if (otherRows > 0) {
            lines.add("  … and " + otherRows + " more; --json shows all");
        }
        return lines;
    }

    /** Returns the section with the growth over the rounds, if there are any. */
    final List<String> growth() {
        return rounds.map(growth -> AccumulationReport.of(growth).text().lines().toList())
                .orElse(List.of());
    }

    @Override
    public final Map<String, Object> fields() {
        Map<String, Object> fields = content();
        fields.put("verdict", new JsonDocument.Verbatim(VerdictJson.text(report).strip()));
        return fields;
    }

    /** Returns the fields before the verdict. */
    Map<String, Object> content() {
        return JsonDocument.object("events", events());
    }

    /** Returns the value of the field with the growth over the rounds, if there are any. */
    final Optional<Map<String, Object>> rounds() {
        return rounds.map(growth -> JsonDocument.object(
                "count", growth.rounds(), "trend", growth.trend(), "doubts", growth.inconclusiveReasons()));
    }
}
