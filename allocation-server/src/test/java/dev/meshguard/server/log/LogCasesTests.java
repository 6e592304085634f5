package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.CaseTable;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Everything that is read from short logs, by the table in {@code log-cases.txt}. */
class LogCasesTests {

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void aLogShows(String name, List<String> lines, List<String> facts) {
        ParsedLog log = Logs.of(lines.toArray(String[]::new));

        assertThat(facts(log)).as(name).isEqualTo(facts);
    }

    static Stream<Arguments> cases() throws IOException {
        return CaseTable.read(LogCasesTests.class, "log-cases.txt");
    }

    private static List<String> facts(ParsedLog log) {
        List<String> facts = CaseTable.facts(Logs.verdictOn(log));
        if (log.unread().count() > 0) {
            facts.add("unread " + log.unread().numbers(8));
        }
        if (log.comparedStatistics() > 0) {
            facts.add("compared " + log.comparedStatistics() + ", differing " + log.differingStatistics());
        }
        log.notes().forEach(note -> facts.add("note: " + note));
        facts.addAll(Logs.reports(log));
        return facts;
    }
}
