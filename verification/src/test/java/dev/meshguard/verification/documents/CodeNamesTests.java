package dev.meshguard.verification.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The flow of data in CONTRIBUTING.md, and the ways through the code, name types and methods of the code. */
class CodeNamesTests {

    private static final Pattern SECTION = Pattern.compile("## The flow of data\n(.*?)\n## ", Pattern.DOTALL);
    private static final Pattern STEP = Pattern.compile("(?m)^ (\\d) .*  ([A-Z]\\w+(?:, [A-Z]\\w+)*)$");
    private static final Pattern STOP = Pattern.compile("`([A-Z]\\w+)\\.([a-z]\\w+)`");

    private static final Map<String, Path> SOURCES = new HashMap<>();

    private final String section = SECTION.matcher(Files.readString(DocumentationPage.ROOT.resolve("CONTRIBUTING.md")))
            .results()
            .findFirst()
            .orElseThrow()
            .group(1);

    CodeNamesTests() throws IOException {}

    @BeforeAll
    static void findMainSources() throws IOException {
        for (Path module : DocumentationPage.modules()) {
            for (Path file : DocumentationPage.sources(module.resolve("src/main/java"))) {
                SOURCES.put(file.getFileName().toString().replace(".java", ""), file);
            }
        }
    }

    @Test
    void eachOfTheEightStepsNamesItsTypes() {
        List<MatchResult> steps = STEP.matcher(section).results().toList();

        assertThat(steps).extracting(step -> step.group(1)).containsExactly("1", "2", "3", "4", "5", "6", "7", "8");
        assertThat(steps)
                .flatExtracting(step -> Arrays.asList(step.group(2).split(", ", -1)))
                .allSatisfy(type -> assertThat(SOURCES).containsKey(type));
    }

    @Test
    void eachStopIsAMethod() throws IOException {
        List<MatchResult> stops = STOP.matcher(section).results().toList();

        assertThat(stops).hasSizeGreaterThan(20);
        for (MatchResult stop : stops) {
            assertThat(SOURCES).containsKey(stop.group(1));
            assertThat(Files.readString(SOURCES.get(stop.group(1))))
                    .as(stop.group())
                    .containsPattern("(?m)^    [\\w<][\\w<>?,.@ ]* " + stop.group(2) + "\\(");
        }
    }

    @Test
    void noWayHasMoreThanTenStops() {
        assertThat(section.split("\n\n", -1))
                .filteredOn(paragraph -> STOP.matcher(paragraph).find())
                .hasSize(3)
                .allSatisfy(
                        way -> assertThat(STOP.matcher(way).results().count()).isBetween(5L, 10L));
    }
}
