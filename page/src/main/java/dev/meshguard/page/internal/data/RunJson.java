package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.Caveat;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Writes the data of one run; each part of the document has a class of its own. */
public final class RunJson {

    private static final String FORMAT = "meshguard-page";
    private static final int VERSION = 1;

    /** Incremented when a field is added. */
    private static final int MINOR = 1;

    private final RunFigures figures;
    private final LeakVerdict verdict;

    private RunJson(RunFigures figures) {
        this.figures = figures;
        this.verdict = figures.verdict();
    }

    /** Returns the data of a run on one line. */
    public static String text(RunFigures figures) {
        return InlineJsonWriter.text(new RunJson(figures)::write);
    }

    private void write(JsonGenerator json) throws IOException {
        AllocationHistory history = verdict.history();
        long end = end(history);
        UsageWriter usage = new UsageWriter(history);
        MeshGrid grid = new MeshGrid(verdict);
        FindingParts grouped = new FindingParts(figures.report());
        AllocationRectangles rectangles = new AllocationRectangles(history, grouped.members(), grid.size(), end);
        GroupWriter groups = new GroupWriter(figures, grouped);
        Texts texts = new Texts();
        TruncationInfo shown = new TruncationInfo();

        json.writeStartObject();
        head(json);
        caveats(json);
        new IncidentWriter(figures).write(json);
        grid.write(json);
        groups.writeCauses(json);
        groups.writeLargest(json);
        groups.write(json, rectangles, shown);
        new DiagramBackground(verdict, end).write(json, shown);
        StackTree stacks = new StackTree(texts);
        rectangles.write(json, texts, stacks, usage, shown);
        stacks.write(json);
        usage.writePeak(json);
        usage.writeSeries(json, figures.budgets(), shown);
        usage.writeMatrix(json, figures.budgets());
        Optional<GrowthWriter> growth = GrowthWriter.of(figures);
        if (growth.isPresent()) {
            growth.get().write(json, shown);
        }
        new Icicle(rectangles, grouped.members(), stacks, usage.peakEvent()).write(json);
        new EventTable(history, texts).write(json, groups.namedEvents(), shown);
        new ExpectationWriter(figures).write(json, shown);
        texts.write(json);
        shown.write(json);
        json.writeEndObject();
    }

    private static long end(AllocationHistory history) {
        List<HistoryEvent> events = history.events();
        return events.isEmpty() ? 0 : events.get(events.size() - 1).number();
    }

    private void head(JsonGenerator json) throws IOException {
        String text = figures.description();
        json.writeStringField("format", FORMAT);
        json.writeNumberField("version", VERSION);
        json.writeNumberField("minor", MINOR);
        json.writeStringField("title", figures.title());
        json.writeStringField("outcome", verdict.outcome().name());
        json.writeStringField("headline", text.lines().findFirst().orElse(""));
        json.writeStringField("text", text);
        Optional<String> reproduction = figures.report().reproduction();
        if (reproduction.isPresent()) {
            json.writeStringField("reproduction", reproduction.get());
        }
        json.writeBooleanField("flatAddresses", verdict.history().hasFlatAddresses());
        LeakVerdict.Sum sum = verdict.sum();
        json.writeObjectFieldStart("sum");
        json.writeNumberField("allocated", sum.allocated());
        json.writeNumberField("freed", sum.freed());
        json.writeNumberField("late", sum.late());
        json.writeNumberField("leaked", sum.leaked());
        json.writeNumberField("misreported", sum.misreported());
        json.writeNumberField("expected", sum.expected());
        json.writeNumberField("undecided", sum.undecided());
        json.writeEndObject();
    }

    private void caveats(JsonGenerator json) throws IOException {
        JsonParts.objects("caveats", Caveat.of(verdict), json, caveat -> {
            json.writeStringField("kind", caveat.kind().name());
            json.writeBooleanField("makesInconclusive", caveat.makesInconclusive());
            json.writeStringField("text", caveat.text());
        });
    }
}
