package dev.meshguard.report.page;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.page.internal.PageContent;
import dev.meshguard.report.page.internal.PageResources;
import dev.meshguard.report.page.internal.PageTemplates;
import dev.meshguard.report.page.internal.data.RunFigures;
import dev.meshguard.tracker.FileReplacement;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The page of one run: what a verdict says, and the memory that it says it of, to be seen.
 *
 * <p>One HTML file that needs nothing else: programs, styles and figures are in it, nothing is fetched, and it can be moved, mailed and
 * attached to a bug report. Whatever the code under test calls its buffers is text in it; a content security policy names by its hash
 * each program that may run.
 *
 * <p>The figures are JSON of version 1, described by {@code page-1.schema.json} beside {@link dev.meshguard.report.json.VerdictJson}. Of a history of a million events
 * not everything can be drawn. What is left out is counted in {@code aggregated}, and what is still in the books is never left out
 * before what was freed.
 *
 * <pre>{@code
 * RunPage.of("KvCacheTest.decode()", VerdictReport.of(verdict)).write(Path.of("decode.html"));
 * }</pre>
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class RunPage {

    private final RunFigures figures;

    private RunPage(RunFigures figures) {
        this.figures = figures;
    }

    /**
     * Returns the page of a run.
     *
     * @param title what was run, as a person calls it
     * @param report the verdict and what there is to say of it
     */
    public static RunPage of(String title, VerdictReport report) {
        return new RunPage(new RunFigures(
                title, report, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false));
    }

    /** Returns this page with another text than that of the report: the whole of what the terminal says. */
    public RunPage saying(String text) {
        return new RunPage(new RunFigures(
                figures.title(),
                figures.report(),
                Optional.of(text),
                figures.known(),
                figures.budgets(),
                figures.growth(),
                figures.hidesSources()));
    }

    /** Returns this page with what was known before, so that it says of each leak whether it is new. */
    public RunPage knowing(Baseline known) {
        return new RunPage(new RunFigures(
                figures.title(),
                figures.report(),
                figures.text(),
                Optional.of(known),
                figures.budgets(),
                figures.growth(),
                figures.hidesSources()));
    }

    /** Returns this page with budgets, kept or not. */
    public RunPage within(BudgetVerdict budgets) {
        return new RunPage(new RunFigures(
                figures.title(),
                figures.report(),
                figures.text(),
                figures.known(),
                Optional.of(budgets),
                figures.growth(),
                figures.hidesSources()));
    }

    /** Returns this page with the growth that was judged; that of rounds which the history marks is on it anyway. */
    public RunPage growing(Accumulation growth) {
        return new RunPage(new RunFigures(
                figures.title(),
                figures.report(),
                figures.text(),
                figures.known(),
                figures.budgets(),
                Optional.of(growth),
                figures.hidesSources()));
    }

    /** Returns this page without the names of files, lines in them, and frames of stacks, for readers who are not to see them. */
    public RunPage withoutSources() {
        return new RunPage(new RunFigures(
                figures.title(),
                figures.report(),
                figures.text(),
                figures.known(),
                figures.budgets(),
                figures.growth(),
                true));
    }

    RunFigures figures() {
        return figures;
    }

    /** Returns the figures of the page as JSON. */
    public String data() {
        return figures.json();
    }

    /** Writes the page to a file, in the place of what is there. */
    public void write(Path file) throws IOException {
        FileReplacement.writeText(file, this::write);
    }

    /** Writes the page; the writer is flushed and stays open. If it encodes, it has to encode as UTF-8. */
    public void write(Writer writer) throws IOException {
        PageTemplates.run(
                PageContent.of(
                        figures.title(),
                        figures.description(),
                        data(),
                        PageResources.styles(),
                        PageResources.runScripts()),
                writer);
        writer.flush();
    }
}
