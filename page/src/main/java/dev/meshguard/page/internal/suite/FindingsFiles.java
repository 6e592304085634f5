package dev.meshguard.page.internal.suite;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The findings of the last runs of many machines, read from the files that JVMs write with {@code meshguard.findings}.
 *
 * <p>A finding of one test counts once in a run, with the most bytes that one JVM reported. Only the last {@value
 * FindingTrends#MAX_RUNS} runs are kept in memory. A file is read up to its first damaged line; that a killed JVM has cut
 * its last line is no damage.
 */
final class FindingsFiles {

    private static final JsonFactory JSON = new JsonFactory();
    private static final String VERSION = "1";

    private final List<String> warnings = new ArrayList<>();

    /** A run with its files. */
    private record Run(String name, Instant began, List<Path> files) {

        Run and(Run other) {
            List<Path> all = new ArrayList<>(files);
            all.addAll(other.files);
            return new Run(name, began.isBefore(other.began) ? began : other.began, all);
        }
    }

    /** The bytes and buffers of a finding in one test. */
    private record Amount(long bytes, long buffers) {

        Amount and(Amount other) {
            return new Amount(bytes + other.bytes, buffers + other.buffers);
        }

        Amount or(Amount other) {
            return new Amount(Math.max(bytes, other.bytes), Math.max(buffers, other.buffers));
        }
    }

    private record Place(FindingTrends.Key key, String test) {}

    /** Receives the fields of a line; returns whether the next line is wanted. */
    private interface Line {
        boolean read(Map<String, String> fields);
    }

    /** Returns the trends over the runs of files; none if there is no file. */
    FindingTrends trends(List<Path> files) {
        Map<String, Run> runs = new HashMap<>();
        files.forEach(file -> lines(file, first -> {
            Run run = new Run(
                    first.getOrDefault("run", ""), Instant.parse(first.getOrDefault("began", "")), List.of(file));
            runs.merge(run.name(), run, Run::and);
            return false;
        }));
        List<Run> last = runs.values().stream()
                .sorted(Comparator.comparing(Run::began).thenComparing(Run::name))
                .skip(Math.max(0, runs.size() - FindingTrends.MAX_RUNS))
                .toList();
        FindingTrends trends = FindingTrends.NONE;
        for (Run run : last) {
            trends = added(run, trends);
        }
        return trends;
    }

    /** Returns warnings about damaged files. */
    List<String> warnings() {
        return warnings;
    }

    private FindingTrends added(Run run, FindingTrends trends) {
        Set<String> tests = new TreeSet<>();
        Map<Place, Amount> ofRun = new HashMap<>();
        for (Path file : run.files()) {
            Map<Place, Amount> ofJvm = new HashMap<>();
            lines(file, line -> {
                String test = line.getOrDefault("test", "");
                if ("check".equals(line.get("kind")) && !"SKIPPED".equals(line.get("result"))) {
                    tests.add(test);
                } else if ("finding".equals(line.get("kind")) && !"EXPECTED".equals(line.get("status"))) {
                    ofJvm.merge(new Place(key(line), test), amount(line), Amount::and);
                }
                return true;
            });
            ofJvm.forEach((place, amount) -> ofRun.merge(place, amount, Amount::or));
        }
        Map<FindingTrends.Key, FindingTrends.Found> found = new HashMap<>();
        ofRun.forEach((place, amount) -> found.merge(
                place.key(),
                new FindingTrends.Found(place.key(), amount.bytes(), amount.buffers(), Set.of(place.test())),
                FindingTrends.Found::and));
        return trends.with(
                new FindingTrends.Run(FindingTrends.minute(run.began()), run.name(), tests, tests.size(), false),
                found);
    }

    private static FindingTrends.Key key(Map<String, String> line) {
        return new FindingTrends.Key(
                line.getOrDefault("fingerprint", ""),
                line.getOrDefault("cause", ""),
                line.getOrDefault("status", ""),
                line.getOrDefault("line", ""),
                line.getOrDefault("type", ""));
    }

    private static Amount amount(Map<String, String> line) {
        return new Amount(
                Long.parseLong(line.getOrDefault("bytes", "0")), Long.parseLong(line.getOrDefault("buffers", "0")));
    }

    private void lines(Path file, Line reader) {
        try (JsonParser parser = JSON.createParser(file.toFile())) {
            boolean isWanted = true;
            while (isWanted && parser.nextToken() == JsonToken.START_OBJECT) {
                Map<String, String> fields = RecordedFindings.fields(parser);
                if (!VERSION.equals(fields.get("schema"))) {
                    warn(file, "a line is not of version " + VERSION);
                    return;
                }
                isWanted = reader.read(fields);
            }
        } catch (JsonEOFException cut) {
            // Its JVM was killed while it wrote.
        } catch (IOException | DateTimeParseException | NumberFormatException damaged) {
            warn(file, "it is damaged");
        }
    }

    private void warn(Path file, String reason) {
        String warning = file.getFileName() + " is not read to its end: " + reason + ".";
        if (!warnings.contains(warning)) {
            warnings.add(warning);
        }
    }
}
