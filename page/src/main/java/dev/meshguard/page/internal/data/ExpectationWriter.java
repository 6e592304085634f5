package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.history.Anomaly;
import dev.meshguard.report.BudgetReport;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.budget.BudgetMetric;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.SourceLine;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Writes the results of all expectations, the budgets and the inconsistent reports of a run into the data of its page. */
final class ExpectationWriter {

    private static final int MAX_ANOMALIES = 1_000;

    private final LeakVerdict verdict;
    private final Optional<BudgetVerdict> budgets;

    ExpectationWriter(RunFigures figures) {
        this.verdict = figures.verdict();
        this.budgets = figures.budgets();
    }

    void write(JsonGenerator json, TruncationInfo shown) throws IOException {
        JsonParts.objects("expectations", verdict.expectations(), json, result -> write(result, json));
        writeBudgets(json);
        List<Anomaly> anomalies = verdict.anomalies();
        int shownAnomalies = Math.min(anomalies.size(), MAX_ANOMALIES);
        JsonParts.objects("anomalies", anomalies.subList(0, shownAnomalies), json, anomaly -> {
            json.writeStringField("kind", anomaly.kind().name());
            json.writeStringField("text", anomaly.kind().description());
            json.writeBooleanField("unbalancesLedger", anomaly.kind().unbalancesLedger());
            json.writeNumberField("event", anomaly.event().number());
            json.writeNumberField("device", MeshGrid.number(anomaly.device()));
            json.writeStringField("type", anomaly.type().name());
            json.writeNumberField("address", anomaly.address());
        });
        shown.add("anomalies", shownAnomalies, anomalies.size());
    }

    private static void write(ExpectationResult result, JsonGenerator json) throws IOException {
        Expectation entry = result.expectation();
        json.writeStringField("text", entry.conditions());
        json.writeStringField("result", result.kind().name());
        json.writeNumberField("matchedBuffers", result.matchedBuffers());
        json.writeNumberField("matchedBytes", result.matchedBytes());
        json.writeNumberField("rejectedBuffers", result.rejectedBuffers());
        if (!entry.count().isAny()) {
            json.writeStringField("bound", entry.count().toString());
        }
        JsonParts.optional("until", entry.until().map(Object::toString), json);
        json.writeStringField("reason", entry.because());
        JsonParts.optional("location", entry.source().map(SourceLine::toString), json);
    }

    private void writeBudgets(JsonGenerator json) throws IOException {
        if (budgets.isEmpty()) {
            return;
        }
        BudgetVerdict judged = budgets.get();
        json.writeObjectFieldStart("budgets");
        json.writeBooleanField("met", judged.isMet());
        Columns.texts("text", BudgetReport.of(judged).text().lines().toList(), json);
        JsonParts.objects("limits", judged.budgets(), json, budget -> {
            json.writeStringField("text", budget.toString());
            json.writeStringField("type", budget.type().name());
            if (budget.device().isPresent()) {
                json.writeNumberField("device", budget.device().getAsInt());
            }
            JsonParts.optional("peakBytes", budget.limit(BudgetMetric.PEAK_BYTES), json);
            json.writeBooleanField(
                    "met",
                    judged.violations().stream()
                            .noneMatch(violation -> violation.budget().equals(budget)));
        });
        json.writeEndObject();
    }
}
