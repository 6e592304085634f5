package dev.meshguard.cli.terminal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Thrown when the program cannot do what was requested; the message is one line and names the way out. */
public final class UsageException extends Exception {

    private static final long serialVersionUID = 1;

    private final ExitStatus status;

    /** Creates the error for invalid arguments, or for a file that cannot be read. */
    public UsageException(String message) {
        this(message, ExitStatus.USAGE);
    }

    private UsageException(String message, ExitStatus status) {
        super(message.replaceAll("\\s*\\R\\s*", " "));
        this.status = status;
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
        return new UsageException(name + " cannot be read: " + reason(failure));
    }

    /** Returns the error for a file that cannot be written, with a sentence about the way out. */
    public static UsageException unwritable(Path file, String advice, IOException e) {
        return e instanceof NoSuchFileException
                ? new UsageException(file + " cannot be written: its folder does not exist. " + advice)
                : new UsageException(file + " cannot be written: " + reason(e) + ". " + advice, ExitStatus.UNWRITTEN);
    }

    /** Returns the reason in a few words; the message of many exceptions is only the path. */
    public static String reason(Exception failure) {
        if (failure instanceof AccessDeniedException) {
            return "this user may not";
        }
        if (failure instanceof FileSystemException e && e.getReason() != null) {
            return e.getReason();
        }
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** Returns the exit status of the program. */
    public ExitStatus status() {
        return status;
    }
}
