package dev.meshguard.cli.common;

import dev.meshguard.capture.heap.internal.HeapNeed;
import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** Formats the reason why a file could not be read or written; the message of many exceptions is only its path. */
public final class CommandFailures {

    private CommandFailures() {}

    /** Returns the sentences about something that needs more heap than this JVM has, with the way out: four times as much. */
    public static String heapFull(String what) {
        long heap = Runtime.getRuntime().maxMemory();
        return String.format(
                Locale.ROOT,
                "%s needs more heap than this JVM has (%s). %s",
                what,
                Quantities.shortSize(heap),
                HeapNeed.wayOut(4 * heap));
    }

    /** Returns the sentences about a file that needs more heap than this JVM has: about how much, as far as it can be known. */
    public static String heapFull(Path file) {
        try {
            Optional<HeapNeed> need = HeapNeed.of(file);
            return need.isPresent() ? need.get().text(Runtime.getRuntime().maxMemory()) : heapFull(file.toString());
        } catch (IOException e) {
            return heapFull(file.toString());
        }
    }

    /** Returns the reason in a few words, without the path. */
    public static String reason(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "there is no such file or folder";
        }
        if (failure instanceof AccessDeniedException) {
            return "this user may not";
        }
        if (failure instanceof FileSystemLoopException) {
            return "its symbolic links name each other";
        }
        if (failure instanceof FileSystemException e && e.getReason() != null) {
            return e.getReason();
        }
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }
}
