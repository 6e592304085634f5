package dev.meshguard.cli.run;

import dev.meshguard.cli.common.UsageException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The choice of one process of a file that several processes wrote. */
final class RankOption {

    @Option(
            names = "--rank",
            paramLabel = "N",
            description = "The rank of the process, for a database that several processes wrote.")
    private @Nullable Integer rank;

    RecordedInput readAny(String file, InputStream standardInput) throws UsageException {
        return RecordedFile.readAny(file, chosen(), standardInput);
    }

    RecordedFile read(String file, InputStream standardInput) throws UsageException {
        return RecordedFile.read(file, chosen(), standardInput);
    }

    /**
     * Rejects a rank that chooses nothing.
     *
     * @throws UsageException if a rank is given and none of the files may have several
     */
    void rejectUnused(RecordedInput... files) throws UsageException {
        if (rank != null && Arrays.stream(files).noneMatch(one -> one instanceof RecordedFile file && file.hasRank())) {
            throw new UsageException(String.format(
                    Locale.ROOT,
                    "--rank %d chooses a process of a database or a graph capture, and %s is neither. Leave it out.",
                    rank,
                    files[0].name()));
        }
    }

    private OptionalInt chosen() {
        return rank == null ? OptionalInt.empty() : OptionalInt.of(rank);
    }
}
