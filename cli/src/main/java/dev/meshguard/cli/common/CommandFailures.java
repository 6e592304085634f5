package dev.meshguard.cli.common;

import dev.meshguard.capture.heap.internal.HeapNeed;
import dev.meshguard.capture.heap.internal.InsufficientHeapException;
import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the reason why a file could not be read or written; the message of many exceptions is only its path. */
public final class CommandFailures {

    private CommandFailures() {}

    /**
     * Returns the sentences about a command that needs more heap than this JVM has, with the way out.
     *
     * <p>They have what its file needs, as far as it can be known. Of several files none is named: the answers about earlier
     * ones are kept and may take most of the heap.
     *
     * @param arguments the command, its options and its files
     */
    public static String heapFull(String... arguments) {
        long heap = Runtime.getRuntime().maxMemory();
        List<HeapNeed> needs = new ArrayList<>();
        for (String argument : arguments) {
            try {
                HeapNeed.of(Path.of(argument)).ifPresent(needs::add);
            } catch (IOException | InvalidPathException unknown) {
                // The need of this argument is unknown.
            }
        }
        return needs.size() == 1
                ? needs.get(0).text(heap)
                : String.format(
                        Locale.ROOT,
                        "%s needs more heap than this JVM has (%s). %s",
                        arguments[0],
                        Quantities.shortSize(heap),
                        HeapNeed.wayOut(4 * heap));
    }

    /**
     * Returns the error for a file that cannot be read.
     *
     * @param advice a sentence about the way out if there is no such file
     */
    public static UsageException unreadable(String name, String advice, Exception failure) {
        if (failure instanceof NoSuchFileException || failure instanceof InvalidPathException) {
            return new UsageException(name + " does not exist. " + advice);
        }
        if (failure instanceof AccessDeniedException) {
            return new UsageException(
                    name + " may not be read by this user. Change its permissions, or pipe it in with -.");
        }
        return new UsageException(
                failure instanceof InsufficientHeapException
                        ? String.valueOf(failure.getMessage())
                        : name + " cannot be read: " + reason(failure));
    }

    /** Returns the reason in a few words, without the path. */
    public static String reason(Exception failure) {
        if (failure instanceof NoSuchFileException) {
            return "there is no such file or folder";
        }
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
