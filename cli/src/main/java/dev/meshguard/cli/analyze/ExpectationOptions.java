package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.CommandFailures;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineFile;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options with the expected buffers and the known leaks. */
final class ExpectationOptions {

    @Option(
            names = "--expected",
            paramLabel = "FILE",
            description = "The expected buffers, one entry a line, as in meshguard-expected.txt.")
    private @Nullable String expectedFile;

    @Option(
            names = "--baseline",
            paramLabel = "FILE",
            description = "The leaks that are known; if nothing else is found, the exit status is 0.")
    private @Nullable String baselineFile;

    /** Reads the files. */
    CheckCriteria read() throws UsageException {
        return new CheckCriteria(LeakCheck.create().expecting(expected()), baseline(), baselineFile != null);
    }

    private ExpectedBuffers expected() throws UsageException {
        if (expectedFile == null) {
            return ExpectedBuffers.none();
        }
        try {
            return ExpectedBuffers.load(Path.of(expectedFile));
        } catch (IOException e) {
            throw unreadable("--expected", expectedFile, e);
        } catch (IllegalArgumentException e) {
            throw new UsageException(oneLine(e));
        }
    }

    private Baseline baseline() throws UsageException {
        if (baselineFile == null) {
            return Baseline.empty();
        }
        try {
            BaselineFile file = new BaselineFile(Path.of(baselineFile));
            if (!file.exists()) {
                throw new NoSuchFileException(baselineFile);
            }
            return file.read();
        } catch (IOException e) {
            throw unreadable("--baseline", baselineFile, e);
        } catch (IllegalArgumentException e) {
            throw new UsageException(oneLine(e));
        }
    }

    private static UsageException unreadable(String option, String file, IOException e) {
        return new UsageException(
                e instanceof NoSuchFileException
                        ? option + " " + Quantities.quoted(file)
                                + ": there is no such file. Give the path of one, or leave " + option + " out."
                        : option + " " + Quantities.quoted(file) + " cannot be read: " + CommandFailures.reason(e));
    }

    private static String oneLine(IllegalArgumentException e) {
        return String.valueOf(e.getMessage())
                .lines()
                .map(String::strip)
                .reduce((one, next) -> one + " " + next)
                .orElse("");
    }
}
