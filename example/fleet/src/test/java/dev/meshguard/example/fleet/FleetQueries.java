package dev.meshguard.example.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The queries of the page give the right answers, over files of many fleets.
 *
 * <p>A failure has the seed of its fleet; {@code -Dmeshguard.seed=…} makes it the first one.
 */
abstract class FleetQueries {

    private final FleetPage page = FleetPage.read();

    abstract QueryEngine open() throws Exception;

    /** Returns the number of fleets that take the engine a few seconds. */
    abstract int fleets();

    @Test
    void givesTheAnswersThatCountingGives(@TempDir Path folder) throws Exception {
        long first = Long.getLong("meshguard.seed", new Random().nextLong());
        int fleets = Integer.getInteger("meshguard.fleets", fleets());
        Map<String, Integer> rows = new TreeMap<>();
        try (QueryEngine engine = open()) {
            for (long seed = first; seed < first + fleets; seed++) {
                Path files = Files.createDirectory(folder.resolve("fleet" + (seed - first)));
                Oracle oracle = new Oracle(Fleet.write(files, seed));
                prepare(engine, files);
                for (Map.Entry<String, List<List<String>>> answer : answers(oracle).entrySet()) {
                    assertThat(engine.rows(page.query(answer.getKey())))
                            .as("%s -Dmeshguard.seed=%d", answer.getKey(), seed)
                            .isEqualTo(answer.getValue());
                    rows.merge(answer.getKey(), answer.getValue().size(), Integer::sum);
                }
            }
        }
        assertThat(rows).as("rows of all fleets").hasSize(6).allSatisfy((query, count) -> assertThat(count)
                .isPositive());
    }

    @Test
    void thePageHasNoStatementThatIsNotExecuted() throws Exception {
        assertThat(page.headings())
                .containsExactly(
                        "DuckDB",
                        "Spark SQL",
                        "Views",
                        "New leaks",
                        "Gone leaks",
                        "Trend",
                        "Memory of tests",
                        "Flaky leaks",
                        "Killed JVMs");
    }

    private void prepare(QueryEngine engine, Path files) throws Exception {
        for (String statement : page.statements(engine.heading(), files)) {
            engine.execute(statement);
        }
        for (String statement : page.statements("Views", files)) {
            engine.execute(statement);
        }
    }

    private static Map<String, List<List<String>>> answers(Oracle oracle) {
        Map<String, List<List<String>>> answers = new LinkedHashMap<>();
        answers.put("New leaks", oracle.newLeaks());
        answers.put("Gone leaks", oracle.goneLeaks());
        answers.put("Trend", oracle.trend());
        answers.put("Memory of tests", oracle.memoryOfTests());
        answers.put("Flaky leaks", oracle.flakyLeaks());
        answers.put("Killed JVMs", oracle.killedJvms());
        return answers;
    }
}
