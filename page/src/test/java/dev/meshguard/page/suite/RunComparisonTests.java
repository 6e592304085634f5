package dev.meshguard.page.suite;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Findings of a folder are compared with the run before, by the tests of both runs. */
class RunComparisonTests {

    @TempDir
    private Path folder;

    private int runs;

    @Test
    void theFirstRunIsComparedWithNothing() throws IOException {
        leaks("a-00000001", "f1", 64);

        assertThat(run("a-00000001")).isEmpty();
    }

    @Test
    void namesNewAndGoneFindings() throws IOException {
        leaks("a-00000001", "f1", 64);
        run("a-00000001", "b-00000002");
        passes("a-00000001");
        leaks("b-00000002", "f2", 32);

        assertThat(run("a-00000001", "b-00000002"))
                .isEqualTo("1 new finding, 1 gone since the run of 2026-11-22 14:01");
        assertThat(trend("f1")).isEqualTo("[64,0] gone");
        assertThat(trend("f2")).isEqualTo("[null,32] new");
    }

    @Test
    void aRunOfOtherTestsClaimsNothing() throws IOException {
        leaks("a-00000001", "f1", 64);
        run("a-00000001");
        leaks("b-00000002", "f2", 32);

        assertThat(run("b-00000002")).isEqualTo("0 new findings since the run of 2026-11-22 14:01");
        assertThat(trend("f1")).isEqualTo("[64,null]");
    }

    @Test
    void aFindingOfTwoTestsIsNotGoneUntilBothRan() throws IOException {
        leaks("a-00000001", "f1", 64);
        leaks("b-00000002", "f1", 64);
        run("a-00000001", "b-00000002");
        passes("a-00000001");

        assertThat(run("a-00000001")).isEqualTo("0 new findings since the run of 2026-11-22 14:01");
        assertThat(trend("f1")).isEqualTo("[128,null]");
    }

    @Test
    void jvmsOfOneBuildAreOneRun() throws IOException {
        leaks("a-00000001", "f1", 64);
        run("a-00000001", "b-00000002");
        passes("a-00000001");
        leaks("b-00000002", "f1", 16);

        SuiteFolder.at(folder).compare(at(2), "second", Set.of("a-00000001"));
        assertThat(SuiteFolder.at(folder).compare(at(2), "second", Set.of("b-00000002")))
                .contains("0 new findings since the run of 2026-11-22 14:01");
        assertThat(trend("f1")).isEqualTo("[64,16]");
    }

    @Test
    void aDamagedOrNewerFileIsRenamedAndNamed() throws IOException {
        for (String text : List.of("{\"format\":\"mesh", "{\"format\":\"meshguard-trends\",\"version\":2}", "[]", "")) {
            Files.writeString(folder.resolve("trends.json"), text);
            assertThat(run("a-00000001")).isEmpty();
        }

        assertThat(folder.resolve("trends.json.unreadable")).hasContent("{\"format\":\"mesh");
        assertThat(folder.resolve("trends.json.unreadable-4")).exists();
        assertThat(data().at("/warnings").toString())
                .contains("trends.json could not be read and is now trends.json.unreadable;");
        assertThat(run("a-00000001")).startsWith("0 new findings");
    }

    @Test
    void aFileOfManyRunsAndFindingsIsBounded() throws IOException {
        for (int run = 0; run < 40; run++) {
            leaks("a-00000001", "f" + run, 64);
            run("a-00000001");
        }
        List<String> names = new ArrayList<>();
        for (int test = 0; test < 1_200; test++) {
            names.add(String.format(Locale.ROOT, "many-%08d", test));
            leaks(names.get(test), "many" + test, 128);
        }
        run(names.toArray(String[]::new));

        JsonNode trends = data().at("/trends");
        assertThat(trends.at("/runs")).hasSize(30);
        assertThat(trends.at("/findings")).hasSize(1_000);
        assertThat(run(names.toArray(String[]::new))).startsWith("not compared with the run of");
        assertThat(folder.resolve("trends.json"))
                .satisfies(file -> assertThat(Files.size(file)).isLessThan(1_000_000));
    }

    @Test
    void concurrentJvmsLoseNoTest() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<?>> ends = new ArrayList<>();
        for (int test = 0; test < 24; test++) {
            String name = String.format(Locale.ROOT, "t-%08d", test);
            leaks(name, "f" + test, 64);
            ends.add(threads.submit(() -> SuiteFolder.at(folder).compare(at(1), "build", Set.of(name))));
        }
        for (Future<?> end : ends) {
            end.get();
        }
        threads.shutdown();

        assertThat(data().at("/trends/runs/0/tests").intValue()).isEqualTo(24);
        assertThat(data().at("/trends/findings")).hasSize(24);
    }

    private String run(String... names) throws IOException {
        runs++;
        return SuiteFolder.at(folder)
                .compare(at(runs), "build " + runs, Set.of(names))
                .orElse("");
    }

    private static Instant at(int minute) {
        return LocalDateTime.of(2026, 11, 22, 14, minute)
                .atZone(ZoneId.systemDefault())
                .toInstant();
    }

    private void leaks(String test, String fingerprint, long bytes) throws IOException {
        Files.createDirectories(folder.resolve("runs"));
        Files.writeString(
                folder.resolve("runs/" + test + ".json"),
                String.format(
                        Locale.ROOT,
                        "{\"format\":\"meshguard-run-record\",\"version\":1,\"id\":\"%s\",\"title\":\"%s\","
                                + "\"findings\":[{\"fingerprint\":\"%s\",\"cause\":\"HELD\",\"status\":\"LEAKED\","
                                + "\"type\":\"DRAM\",\"buffers\":1,\"bytes\":%d}]}",
                        test,
                        test,
                        fingerprint,
                        bytes));
    }

    private void passes(String test) throws IOException {
        Files.delete(folder.resolve("runs/" + test + ".json"));
    }

    private String trend(String fingerprint) throws IOException {
        return SuitePage.trend(folder, fingerprint);
    }

    private JsonNode data() throws IOException {
        return SuitePage.data(folder);
    }
}
