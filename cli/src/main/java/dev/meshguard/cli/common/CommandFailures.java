package dev.meshguard.cli.common;

import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;

/** Formats the reason why a file could not be read or written; the message of many exceptions is only its path. */
public final class CommandFailures {

    private CommandFailures() {}

    /** Returns the way out if {@link #memory()} is not enough: four times as much. */
    public static String moreMemory() {
        long megabytes = Runtime.getRuntime().maxMemory() >> 20;
        return String.format(Locale.ROOT, "give Java more: java -Xmx%dm -jar meshguard.jar …", 4 * megabytes);
    }

    /** Returns the memory of the JVM, for a sentence. */
    public static String memory() {
        return "the memory that Java has ("
                + Quantities.shortSize(Runtime.getRuntime().maxMemory()) + ")";
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
