package dev.meshguard.cli.run;

import dev.meshguard.cli.common.UsageException;
import java.io.InputStream;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The run that a command reads. */
final class HistoryInput {

    @Parameters(
            paramLabel = "FILE",
            description =
                    "A history in JSON Lines, a log, a graph capture or a database, plain or gzip; - reads standard input.")
    private String file = "";

    @Mixin
    private RankOption rank = new RankOption();

    /**
     * Rejects overwriting the input.
     *
     * @throws UsageException if the output is the file that the run is read from
     */
    void rejectWritingTo(Path output) throws UsageException {
        OutputFile.rejectInput(file, output);
    }

    RecordedFile read(InputStream standardInput) throws UsageException {
        RecordedFile recorded = rank.read(file, standardInput);
        rank.rejectUnused(recorded);
        return recorded;
    }
}
