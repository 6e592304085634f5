package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.WrittenDatabase.Place;
import dev.meshguard.capture.WrittenDatabase.Writer;
import dev.meshguard.tracker.script.TableCase;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Everything that is read from short databases, by the table in {@code database-cases.txt}. The first line of a case names
 * the writers; each other line is a row, or, after two blanks, a node of the graph before it.
 */
class DatabaseCasesTests {

    @TempDir
    private Path folder;

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void aDatabaseShows(TableCase one) throws Exception {
        for (String writer : one.lines().get(0).split(" ", -1)) {
            Path file = folder.resolve(writer);
            try (WrittenDatabase database = new WrittenDatabase(file, Writer.valueOf(writer))) {
                fill(database, one.lines());
            }

            assertThat(facts(file)).as(one.name() + ", " + writer).isEqualTo(one.facts());
        }
    }

    static Stream<TableCase> cases() {
        return TableCase.of(DatabaseCasesTests.class, "database-cases.txt");
    }

    static List<String> facts(Path file) {
        List<String> facts = new ArrayList<>();
        try {
            List<RuntimeOutput> outputs = RuntimeOutputReader.create().readRanks(file);
            List<RuntimeOutput> atEnd =
                    RuntimeOutputReader.create().judgedAtEnd().readRanks(file);
            for (int i = 0; i < outputs.size(); i++) {
                outputs.get(i).rank().ifPresent(rank -> facts.add("rank " + rank));
                facts.addAll(OutputCases.facts(outputs.get(i), atEnd.get(i)));
            }
        } catch (IOException e) {
            facts.add("error: " + e.getMessage());
        }
        return facts;
    }

    static void fill(WrittenDatabase database, List<String> lines) throws SQLException {
        for (int i = 1; i < lines.size(); i++) {
            List<String> graph = lines.subList(i + 1, lines.size()).stream()
                    .takeWhile(line -> line.startsWith("  "))
                    .map(String::strip)
                    .toList();
            write(database, lines.get(i), graph);
            i += graph.size();
        }
    }

    private static void write(WrittenDatabase database, String row, List<String> graph) throws SQLException {
        String[] words = row.split(" ", 3);
        if (words[0].equals("sql")) {
            database.execute(row.substring(4));
            return;
        }
        int id = Integer.parseInt(words[1]);
        String rest = words.length < 3 ? "" : words[2].replace("\\n", "\n");
        String first = rest.split(" ", -1)[0];
        String others = rest.substring(first.length()).strip();
        switch (words[0]) {
            case "rank" -> database.rank(id);
            case "operation" -> database.operation(id, first, places(others));
            case "crash" -> database.crash(id, rest);
            case "snapshot" -> database.snapshot(id, places(rest));
            case "tensor" -> database.tensor(id, others, places(first)[0]);
            case "input" -> database.input(id, Long.parseLong(rest));
            case "output" -> database.output(id, Long.parseLong(rest));
            case "stack" -> database.stack(id, rest);
            case "graph" -> database.graph(id, graph.isEmpty() ? rest : OutputCases.json(graph));
            case "error" -> database.error(id, first, others.split(" ", 2)[0], others.split(" ", 2)[1]);
            default -> throw new IllegalArgumentException(row);
        }
    }

    /** Returns places such as {@code L1@4096} and, with another size than 2048, {@code DRAM@4096/1024}. */
    private static Place[] places(String text) {
        return Arrays.stream(text.split(" ", -1))
                .filter(place -> !place.isEmpty())
                .map(place -> {
                    String[] parts = place.split("[@/]", -1);
                    long size = parts.length > 2 ? Long.parseLong(parts[2]) : 2_048;
                    return new Place(0, Long.decode(parts[1]), size, parts[0].equals("L1") ? 1 : 0);
                })
                .toArray(Place[]::new);
    }
}
