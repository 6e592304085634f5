package dev.meshguard.cli.run;

import dev.meshguard.cli.answer.Refusal;
import java.io.InputStream;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** The one run that a command is about. */
final class RunToRead {

    @Parameters(
            paramLabel = "FILE",
            description = "A history in JSON Lines or a log, plain or gzip; - reads standard input.")
    private String file = "";

    /**
     * Refuses to write over what is read.
     *
     * @throws Refusal if the output is the file that the run is read from
     */
    void refuseToWriteTo(Path output) throws Refusal {
        OutputFile.refuseInput(file, output);
    }

    RecordedFile read(InputStream standardInput) throws Refusal {
        return RecordedFile.read(file, standardInput);
    }
}
