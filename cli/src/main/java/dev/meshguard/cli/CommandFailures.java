package dev.meshguard.cli;

import dev.meshguard.event.Quantities;
import dev.meshguard.file.FileReplacement;
import java.io.File;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Formats the reason why a file could not be read or written; the message of many exceptions is only its path. */
final class CommandFailures {

    /** What a log takes if most of its lines are allocations that remain. */
    private static final long HEAP_BYTES_OF_A_BYTE = 6;

    private static final long MEBIBYTE = 1L << 20;
    private static final long GIBIBYTE = 1L << 30;

    private CommandFailures() {}

    /**
     * Returns the sentences about a command that needs more heap than this JVM has, with the way out.
     *
     * <p>How much a file needs depends on its content. So they name more than there is, and what a log of the file's size
     * takes. Of several files none is named: the answers about earlier ones are kept and may take most of the heap.
     *
     * @param arguments the command, its options and its files
     */
    static String heapFull(String... arguments) {
        long heap = Runtime.getRuntime().maxMemory();
        List<File> files = Arrays.stream(arguments)
                .skip(1)
                .map(File::new)
                .filter(File::isFile)
                .toList();
        long need = Math.max(
                4 * heap,
                HEAP_BYTES_OF_A_BYTE * files.stream().mapToLong(File::length).sum());
        long unit = need < GIBIBYTE ? 64 * MEBIBYTE : GIBIBYTE;
        long rounded = (need + unit - 1) / unit * unit;
        String option = unit == GIBIBYTE ? "-Xmx" + rounded / GIBIBYTE + "g" : "-Xmx" + rounded / MEBIBYTE + "m";
        return (files.size() == 1 ? files.get(0).getPath() : arguments[0]) + " needs more heap than this JVM has ("
                + Quantities.shortSize(heap) + "). Run it with " + option + " (meshguard: JDK_JAVA_OPTIONS=" + option
                + " meshguard …).";
    }

    /**
     * Returns the error for a file that cannot be read.
     *
     * @param advice a sentence about the way out if there is no such file
     */
    static UsageException unreadable(String name, String advice, Exception failure) {
        if (failure instanceof NoSuchFileException || failure instanceof InvalidPathException) {
            return new UsageException(name + " does not exist. " + advice);
        }
        if (failure instanceof AccessDeniedException) {
            return new UsageException(
                    name + " may not be read by this user. Change its permissions, or pipe it in with -.");
        }
        return new UsageException(name + " cannot be read: " + reason(failure));
    }

    /** Writes the file of an option, all of it or nothing. */
    static void write(Path file, String option, FileReplacement.Text<UsageException> content)
            throws UsageException {
        try {
            FileReplacement.writeText(file, content);
        } catch (IOException e) {
            throw unwritable(file, "Give another path with " + option + ".", e);
        }
    }

    /** Returns the error for a file that cannot be written, with a sentence about the way out. */
    static UsageException unwritable(Path file, String advice, IOException e) {
        return e instanceof NoSuchFileException
                ? new UsageException(file + " cannot be written: its folder does not exist. " + advice)
                : UsageException.unwritten(file + " cannot be written: " + reason(e) + ". " + advice);
    }

    /** Returns the reason in a few words, without the path. */
    static String reason(Exception failure) {
        if (failure instanceof AccessDeniedException) {
            return "this user may not";
        }
        if (failure instanceof FileSystemException e && e.getReason() != null) {
            return e.getReason();
        }
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }
}
