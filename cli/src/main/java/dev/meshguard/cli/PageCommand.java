package dev.meshguard.cli;

import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.Terminal;
import dev.meshguard.cli.terminal.UsageException;
import dev.meshguard.file.FileReplacement;
import dev.meshguard.page.RunPage;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code page}: writes the page of a recorded run. */
@Command(
        name = "page",
        description = "Writes the page of a recorded run: its memory and its survivors, for a browser.",
        footer = {
            "",
            "One HTML file that needs nothing else: open it, mail it, attach it to a bug report.",
            "",
            "Examples:",
            "  meshguard page history.jsonl",
            "  meshguard page server.log -o leak.html",
            "  gzip -dc server.log.gz | meshguard page - -o leak.html"
        })
final class PageCommand implements Subcommand {

    private static final String SUFFIX = ".html";

    @Parameters(
            paramLabel = "FILE",
            description =
                    "A history in JSON Lines, a log, a graph capture or a database, plain or compressed; - reads standard input.")
    private String file = "";

    @Mixin
    private InputReader files = new InputReader();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description = "Where the page goes; the name of FILE with .html, in the present folder, unless given.")
    private @Nullable Path output;

    @Override
    public int run(Terminal terminal) throws UsageException, IOException {
        Input.Recording recording = files.readRecording(file, terminal.in());
        files.rejectUnusedRank(List.of(recording));
        boolean isInput = output != null
                && !file.equals(InputReader.STANDARD_INPUT)
                && Files.isRegularFile(output)
                && Files.isSameFile(Path.of(file), output);
        if (isInput) {
            throw new UsageException(output + " is the file that is read. Give another path with -o.");
        }
        String title = baseName(files.nameWithRank(recording));
        LeakVerdict verdict = LeakCheck.create().examine(recording.history());
        RunPage page = RunPage.of(title, recording.report(verdict));
        Path target = output == null ? Path.of(title.replace(' ', '-') + SUFFIX) : output;
        try {
            FileReplacement.writeText(target, page::write);
        } catch (IOException e) {
            throw UsageException.unwritable(target, "Give another path with -o.", e);
        }
        terminal.out().println(target.toString());
        return ExitStatus.CLEAN.code();
    }

    private static String baseName(String name) {
        Path last = Path.of(name).getFileName();
        return last == null ? name : last.toString();
    }
}
