package dev.meshguard.cli.run;

import dev.meshguard.cli.common.Printer;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.file.FileReplacement;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The output file for a run that a command creates from another. */
final class HistoryOutput {

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description = "Where it goes, compressed if OUT ends in .gz; standard output unless given.")
    private @Nullable Path output;

    /**
     * Rejects overwriting the input.
     *
     * @throws UsageException if the run is to be written to the file that it is read from
     */
    void rejectSameFile(HistoryInput run) throws UsageException {
        if (output != null) {
            run.rejectWritingTo(output);
        }
    }

    /**
     * Writes a format that is not for standard output.
     *
     * @throws UsageException if no file is named
     */
    void writeBytes(String format, FileReplacement.Content<UsageException> content) throws UsageException {
        if (output == null) {
            throw new UsageException(format + " writes a file. Name it with -o.");
        }
        OutputFile.writeBytes(output, "-o", content);
    }

    void write(Printer standardOutput, FileReplacement.Text<UsageException> content)
            throws IOException, UsageException {
        if (output != null) {
            OutputFile.write(output, content);
            return;
        }
        content.write(standardOutput);
        standardOutput.ensureWritten();
    }
}
