package dev.meshguard.report;

import dev.meshguard.verdict.Survivor;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The lines of the log from which a history was read: a report names them where no line of code is known.
 *
 * @param name the path or name of the log
 * @param lineOf the line of the event with a number, if the event has one
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record LogLines(String name, LongFunction<OptionalLong> lineOf) {

    /** Returns {@code logs/server.log:18-25}, or the first and the last line if there are others between them. */
    Optional<String> of(Stream<Survivor> survivors) {
        long[] lines = linesOf(survivors).sorted().distinct().toArray();
        if (lines.length == 0) {
            return Optional.empty();
        }
        long first = lines[0];
        long last = lines[lines.length - 1];
        String all =
                last - first + 1 == lines.length ? "-" + last : ", the first of " + lines.length + " lines to " + last;
        return Optional.of(name + ":" + first + (first == last ? "" : all));
    }

    /** Returns {@code server.log:18}: the first line, with the name of the file only. */
    Optional<String> firstOf(Stream<Survivor> survivors) {
        Path file = Path.of(name).getFileName();
        return linesOf(survivors).min().stream()
                .mapToObj(line -> (file == null ? name : file) + ":" + line)
                .findFirst();
    }

    /** Returns {@code logs/server.log:18}: the line of an event. */
    Optional<String> of(long event) {
        return lineOf.apply(event).stream().mapToObj(line -> name + ":" + line).findFirst();
    }

    private LongStream linesOf(Stream<Survivor> survivors) {
        return survivors.flatMapToLong(
                survivor -> lineOf.apply(survivor.reports().get(0).allocatedAt()).stream());
    }
}
