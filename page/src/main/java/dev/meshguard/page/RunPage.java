package dev.meshguard.page;

import dev.meshguard.file.FileReplacement;
import dev.meshguard.page.internal.PageResources;
import dev.meshguard.page.internal.PageTemplates;
import dev.meshguard.page.internal.data.RunFigures;
import dev.meshguard.page.internal.data.RunJson;
import dev.meshguard.page.internal.suite.RunRecord;
import dev.meshguard.page.internal.template.PageContent;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The HTML page of one run: its verdict, and diagrams of its memory.
 *
 * <p>One self-contained HTML file: scripts, styles and data are in it, nothing is fetched, and it can be moved, mailed
 * and attached to a bug report. Names from the code under test are always text; a content security policy lists the
 * hash of each script that may run.
 *
 * <p>The data is JSON for the page's own scripts. A history of a million events cannot be drawn completely. Omitted data
 * is counted in {@code aggregated}, and survivors are never omitted before freed buffers.
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
     * @param title the title of the run for readers
     * @param report the report of the verdict
     */
    public static RunPage of(String title, VerdictReport report) {
        return new RunPage(new RunFigures(title, report, Optional.empty(), Optional.empty(), Optional.empty()));
    }

    /** Returns this page with another text than that of the report: the complete text of the terminal. */
    public RunPage withText(String text) {
        return new RunPage(new RunFigures(
                figures.title(), figures.report(), Optional.of(text), figures.budgets(), figures.growth()));
    }

    /** Returns this page with a budget verdict. */
    public RunPage withBudgets(BudgetVerdict budgets) {
        return new RunPage(new RunFigures(
                figures.title(), figures.report(), figures.text(), Optional.of(budgets), figures.growth()));
    }

    /** Returns this page with judged growth; the growth of rounds in the history is always included. */
    public RunPage withGrowth(Accumulation growth) {
        return new RunPage(new RunFigures(
                figures.title(), figures.report(), figures.text(), figures.budgets(), Optional.of(growth)));
    }

    /** Returns the data of the page as JSON. */
    public String data() {
        return RunJson.text(figures);
    }

    /**
     * Returns the record of the page as JSON: its row in the overview of a folder.
     *
     * @param name the name of the page in its folder
     * @param machine the machine that ran the tests, if it is known
     * @param fork the JVM of the build that ran the tests
     */
    public String record(String name, Optional<String> machine, String fork) {
        return new RunRecord(name, figures, machine, fork).json();
    }

    /** Writes the page to a file, replacing an existing one. */
    public void write(Path file) throws IOException {
        FileReplacement.writeText(file, this::write);
    }

    /** Writes the page; the writer is flushed and stays open. A writer that encodes must encode as UTF-8. */
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
