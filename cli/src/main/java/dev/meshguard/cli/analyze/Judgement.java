package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Trend;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The verdict on a file that is read as a history.
 *
 * @param report the report of its verdict
 * @param accumulation the growth over its rounds, if rounds are marked
 * @param verdict the exit status of the verdict alone
 */
record Judgement(VerdictReport report, Optional<Accumulation> accumulation, ExitStatus verdict) {

    /** Returns the exit status: memory that grows is a leak. */
    ExitStatus status() {
        boolean grows =
                accumulation.filter(over -> over.trend() == Trend.GROWING).isPresent();
        return grows ? verdict.orWorse(ExitStatus.LEAKED) : verdict;
    }

    /** Adds the text of the verdict. */
    void addText(List<String> lines) {
        report.text().lines().forEach(lines::add);
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
