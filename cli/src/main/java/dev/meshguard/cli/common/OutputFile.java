package dev.meshguard.cli.common;

import dev.meshguard.file.FileReplacement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A file that a command writes: complete or not at all, and never its own input. */
public final class OutputFile {

    private OutputFile() {}

    /** Writes the file of an option. */
    public static void write(Path file, String option, FileReplacement.Text<UsageException> content)
            throws UsageException {
        try {
            FileReplacement.writeText(file, content);
        } catch (IOException e) {
            throw unwritable(file, "Give another path with " + option + ".", e);
        }
    }

    /**
     * Rejects overwriting the input.
     *
     * @param input the input, as named on the command line
     * @throws UsageException if it is the same file
     */
    public static void rejectInput(String input, Path output) throws UsageException {
        boolean isSame;
        try {
            isSame = Files.isRegularFile(output) && Files.isSameFile(Path.of(input), output);
        } catch (IOException | InvalidPathException notThere) {
            isSame = false; // Reading it fails later with the right message.
        }
        if (isSame) {
            throw new UsageException(output + " is the file that is read. Give another path with -o.");
        }
    }

    /** Returns the error for a file that cannot be written, with a sentence about the way out. */
    public static UsageException unwritable(Path file, String advice, IOException e) {
        return e instanceof NoSuchFileException
                ? new UsageException(file + " cannot be written: its folder does not exist. " + advice)
                : UsageException.unwritten(file + " cannot be written: " + CommandFailures.reason(e) + ". " + advice);
    }
}
