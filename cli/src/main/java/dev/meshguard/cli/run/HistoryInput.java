package dev.meshguard.cli.run;

import dev.meshguard.cli.common.UsageException;
import java.io.InputStream;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** The run that a command reads. */
final class HistoryInput {

    @Parameters(
            paramLabel = "FILE",
            description = "A history in JSON Lines, a log or a graph capture, plain or gzip; - reads standard input.")
    private String file = "";

    /**
     * Rejects overwriting the input.
     *
     * @throws UsageException if the output is the file that the run is read from
     */
    void rejectWritingTo(Path output) throws UsageException {
        OutputFile.rejectInput(file, output);
    }

    RecordedFile read(InputStream standardInput) throws UsageException {
        return RecordedFile.read(file, standardInput);
    }
}
