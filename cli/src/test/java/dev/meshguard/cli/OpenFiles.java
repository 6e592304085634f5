package dev.meshguard.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The open files of another process, where the system lists them. */
public final class OpenFiles {

    private OpenFiles() {}

    public static boolean areListed() {
        return Files.isDirectory(Path.of("/proc/self/fd"));
    }

    /** Returns when the process has the file open, or after a minute, or when the process has exited. */
    public static void await(Process program, Path file) throws IOException {
        ProcessWait.until(program, () -> hasOpen(program, file));
    }

    private static boolean hasOpen(Process program, Path file) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(program.pid()), "fd"))) {
            return open.anyMatch(one -> isLinkTo(one, file));
        } catch (NoSuchFileException ended) {
            return false;
        }
    }

    private static boolean isLinkTo(Path link, Path file) {
        try {
            return Files.readSymbolicLink(link).equals(file.toRealPath());
        } catch (IOException e) {
            return false;
        }
    }
}
