package dev.meshguard.cli.run;

import dev.meshguard.cli.answer.Refusal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a command puts the run that it makes of another. */
final class HistoryOutput {

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description = "Where it goes, compressed if OUT ends in .gz; standard output unless given.")
    private @Nullable Path output;

    boolean isStandardOutput() {
        return output == null;
    }

    void write(PrintWriter standardOutput, RecordedFile.Content content) throws IOException, Refusal {
        if (output != null) {
            RecordedFile.write(output, content);
            return;
        }
        content.write(standardOutput);
        standardOutput.flush();
    }
}
