package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.CommandFailures;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.cli.input.Input;
import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineFile;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Rounds;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options with the expected buffers and the known leaks, and the check with them. */
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

    private LeakCheck check = LeakCheck.create();
    private Optional<Baseline> known = Optional.empty();

    /** Reads a file. */
    @FunctionalInterface
    private interface Reading<T> {
        T read(Path file) throws IOException;
    }

    /** Reads the files. */
    void read() throws UsageException {
        if (expectedFile != null) {
            check = check.expecting(read("--expected", expectedFile, ExpectedBuffers::load));
        }
        if (baselineFile != null) {
            known = Optional.of(read("--baseline", baselineFile, file -> {
                BaselineFile baseline = new BaselineFile(file);
                if (!baseline.exists()) {
                    throw new NoSuchFileException(file.toString());
                }
                return baseline.read();
            }));
        }
    }

    private static <T> T read(String option, String file, Reading<T> reading) throws UsageException {
        try {
            return reading.read(Path.of(file));
        } catch (NoSuchFileException e) {
            throw new UsageException(option + " " + Quantities.quoted(file)
                    + ": there is no such file. Give the path of one, or leave " + option + " out.");
        } catch (IOException e) {
            throw new UsageException(
                    option + " " + Quantities.quoted(file) + " cannot be read: " + CommandFailures.reason(e));
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** Judges a file. */
    FileVerdict judge(Input.Recording file, boolean hasRounds) {
        LeakVerdict verdict = check.examine(file.history());
        boolean isKnown = known.filter(baseline -> baseline.covers(verdict)).isPresent();
        return new FileVerdict(
                file.report(verdict, known),
                hasRounds ? Optional.of(Accumulation.of(verdict, Rounds.MARKED)) : Optional.empty(),
                isKnown ? ExitStatus.CLEAN : ExitStatus.of(verdict.outcome()));
    }
}
