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
 * The queries give the right answers, over files of many fleets.
 *
 * <p>A failure has the seed of its fleet; {@code -Dmeshguard.seed=…} makes it the first one.
 */
abstract class FleetQueries {

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
                    assertThat(engine.rows(QueryFiles.query(answer.getKey())))
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
    void noFileIsNotExecuted() {
        assertThat(QueryFiles.names())
                .containsExactlyInAnyOrder(
                        "duckdb.sql",
                        "spark.sql",
                        "views.sql",
                        "new-leaks.sql",
                        "gone-leaks.sql",
                        "trend.sql",
                        "memory-of-tests.sql",
                        "flaky-leaks.sql",
                        "killed-jvms.sql");
    }

    private void prepare(QueryEngine engine, Path files) throws Exception {
        for (String statement : QueryFiles.statements(engine.lines(), files)) {
            engine.execute(statement);
        }
        for (String statement : QueryFiles.statements("views.sql", files)) {
            engine.execute(statement);
        }
    }

    private static Map<String, List<List<String>>> answers(Oracle oracle) {
        Map<String, List<List<String>>> answers = new LinkedHashMap<>();
        answers.put("new-leaks.sql", oracle.newLeaks());
        answers.put("gone-leaks.sql", oracle.goneLeaks());
        answers.put("trend.sql", oracle.trend());
        answers.put("memory-of-tests.sql", oracle.memoryOfTests());
        answers.put("flaky-leaks.sql", oracle.flakyLeaks());
        answers.put("killed-jvms.sql", oracle.killedJvms());
        return answers;
    }
}
