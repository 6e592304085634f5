package dev.meshguard.verdict.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of rules, the causes, the documentation and the schemas agree. */
class RulesTests {

    private static final Path PROJECT = Path.of("..");

    /** The classes of the rules as words: {@code free unreported}. */
    private static List<String> rules() {
        return VerdictBuilder.rules(AllocationTracker.create().history()).stream()
                .map(rule -> rule.getClass().getSimpleName().replaceFirst("Rule$", ""))
                .map(name -> name.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT))
                .toList();
    }

    private static List<String> causes() {
        return Stream.of(Cause.values()).map(cause -> words(cause.name())).toList();
    }

    private static String words(String name) {
        return name.replace('_', ' ').toLowerCase(Locale.ROOT);
    }

    @Test
    void eachCauseHasARuleOfItsNameInTheOrderOfTheCauses() {
        assertThat(rules()).filteredOn(causes()::contains).isEqualTo(causes());
    }

    @Test
    void aBufferIsUndecidedBeforeAnyCauseIsLookedFor() {
        assertThat(rules()).startsWith("late report", "open mesh", "ambiguous report", causes().get(0));
    }

    @Test
    void theDocumentationListsTheRulesInTheirOrder() throws IOException {
        assertThat(firstColumnUnder("## Causes")).isEqualTo(rules());
        assertThat(firstColumnUnder("## Fixes")).isEqualTo(causes());
    }

    private static List<String> firstColumnUnder(String heading) throws IOException {
        return Files.readAllLines(PROJECT.resolve("docs/causes.md")).stream()
                .dropWhile(line -> !line.equals(heading))
                .dropWhile(line -> !line.startsWith("| ---"))
                .skip(1)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> words(line.split("\\|", -1)[1].strip().replace("`", "")))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "report/src/main/resources/dev/meshguard/report/json/verdict-2.schema.json",
                "report/src/main/resources/dev/meshguard/report/json/findings-1.schema.json",
                "page/src/test/resources/dev/meshguard/page/page-data.schema.json"
            })
    void eachSchemaNamesEachCause(String schema) throws IOException {
        assertThat(Files.readString(PROJECT.resolve(schema)))
                .contains(Stream.of(Cause.values())
                        .map(cause -> '"' + cause.name() + '"')
                        .toList());
    }
}
