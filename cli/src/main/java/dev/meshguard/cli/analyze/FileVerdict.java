package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Trend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The verdict on a file that is read as a history.
 *
 * @param report the report of its verdict
 * @param accumulation the growth over its rounds, if rounds are marked
 * @param verdict the exit status of the verdict alone
 */
record FileVerdict(VerdictReport report, Optional<Accumulation> accumulation, ExitStatus verdict) {

    /** Returns the exit status: memory that grows is a leak. */
    private ExitStatus status() {
        boolean grows =
                accumulation.filter(over -> over.trend() == Trend.GROWING).isPresent();
        return grows ? verdict.orWorse(ExitStatus.LEAKED) : verdict;
    }

    /**
     * Returns the answer about the file.
     *
     * @param headline the first line of its text
     * @param sections adds the sections behind the verdict
     */
    FileAnswer answer(
            FileAnswer.Kind kind,
            String name,
            String headline,
            Consumer<List<String>> sections,
            JsonDocument.Fields<JsonDocument> fields) {
        Supplier<List<String>> text = () -> {
            List<String> lines = new ArrayList<>(List.of(headline, ""));
            report.text().lines().forEach(lines::add);
            sections.accept(lines);
            return lines;
        };
        return new FileAnswer(kind, name, status(), Optional.of(report), text, fields);
    }

    /** Adds the growth over the rounds, if there are any. */
    void addRounds(List<String> lines) {
        accumulation.ifPresent(growth -> {
            lines.add("");
            AccumulationReport.of(growth).text().lines().forEach(lines::add);
        });
    }

    /** Writes the growth over the rounds, if there are any. */
    void writeRounds(JsonDocument json) throws IOException {
        if (accumulation.isPresent()) {
            json.object("rounds", accumulation.get(), growth -> {
                json.field("count", growth.rounds());
                json.field("trend", growth.trend());
                json.field("doubts", growth.inconclusiveReasons());
            });
        }
    }
}
