package dev.meshguard.cli;

import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.Terminal;
import dev.meshguard.cli.terminal.UsageException;
import dev.meshguard.page.SuiteFolder;
import dev.meshguard.text.Quantities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command {@code suite}: writes the overview page of a folder with pages and records of runs. */
@Command(
        name = "suite",
        description = "Writes the page over all runs whose pages lie in a folder, whichever machines wrote them.",
        footer = {
            "",
            "Tests write it by themselves when they end. This is for what several machines wrote: copy their folders into one, each"
                    + " under a name of its own.",
            "",
            "Example:",
            "  meshguard suite target/meshguard"
        })
final class Suite implements Subcommand {

    @Parameters(paramLabel = "FOLDER", description = "The folder; its index.html is written anew.")
    private Path folder = Path.of("");

    @Override
    public int run(Terminal terminal) throws UsageException {
        if (!Files.isDirectory(folder)) {
            throw new UsageException(folder + " is no folder. Give the one to which tests write their pages.");
        }
        SuiteFolder suite = SuiteFolder.at(folder);
        try {
            int runs = suite.size();
            List<String> warnings = suite.warnings();
            if (runs == 0 && warnings.isEmpty()) {
                throw new UsageException(
                        folder + " has no run in it. Give the folder in which runs is, or one above it.");
            }
            terminal.out().println(suite.writeIndex() + ": " + Quantities.count(runs, "run"));
            warnings.forEach(warning -> terminal.out().println("Warning: " + warning));
            return (warnings.isEmpty() ? ExitStatus.CLEAN : ExitStatus.INCONCLUSIVE).code();
        } catch (IOException e) {
            throw UsageException.unwritable(folder, "Give a folder to which this user may write.", e);
        }
    }
}
