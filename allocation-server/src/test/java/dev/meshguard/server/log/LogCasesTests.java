package dev.meshguard.server.log;

import static dev.meshguard.server.log.Logs.ALLOCATED;
import static dev.meshguard.server.log.Logs.FREED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.CaseTable;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.growth.Accumulation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Everything that is read from short logs, by the table in {@code log-cases.txt}. */
class LogCasesTests {

    /** The first line of a log that is divided into rounds; the pattern of their marks follows. */
    private static final String ROUNDS = "rounds at ";

    /** The pictures of control characters, which stand for these. */
    private static final Pattern PICTURE = Pattern.compile("[␀-␟]");

    /** Two allocations of one address and three frees; the last free is unknown to the server. */
    private static final String[] MINI_TRACE = {
        ALLOCATED,
        "✓ [PID 7] Allocated 2048 bytes of L1 on device 0 (buffer_id=901152, ref_count=2)",
        "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, ref_count=1 remaining)",
        FREED,
        "⚠ [PID 7] Deallocation for unknown buffer 901152 on device 0 (allocated before tracking started)"
    };

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void aLogShows(String name, List<String> lines, List<String> expected) throws IOException {
        boolean hasRounds = lines.get(0).startsWith(ROUNDS);
        AllocationLogReader reader = hasRounds
                ? Logs.READER.roundsAt(Pattern.compile(lines.get(0).substring(ROUNDS.length())))
                : Logs.READER;
        String text =
                lines.stream().skip(hasRounds ? 1 : 0).map(line -> line + "\n").collect(Collectors.joining());
        String log = PICTURE.matcher(text)
                .replaceAll(found -> Character.toString(found.group().charAt(0) - '␀'));

        List<String> facts =
                facts(reader.read(new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)), "test.log"));

        assertThat(facts).as(name).isEqualTo(expected);
    }

    @Test
    void equalBuffersOfOneProcessAreOneLeak() {
        ParsedLog log = Logs.of(
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device 0 (buffer_id=901152)",
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device 1 (buffer_id=901152)",
                "✓ [PID 8] Allocated 4096 bytes of DRAM on device 2 (buffer_id=901152)",
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device 3 (buffer_id=109344)",
                Logs.STOPPED);

        assertThat(LeakCheck.create().examine(log.history()).groups(SurvivorStatus.LEAKED))
                .extracting(SurvivorGroup::buffers)
                .containsExactly(3L, 1L);
    }

    @Test
    void freesThatLeaveOtherReferencesCount() {
        ParsedLog log = Logs.of(MINI_TRACE);

        assertThat(log.addresses())
                .containsExactly(new AddressUse(0, 901_152, Optional.of(BufferType.L1), 2, 3, 4096, 1, 5));
    }

    @Test
    void eventsKnowTheirLines() {
        ParsedLog log = Logs.of("text", "", ALLOCATED);

        assertThat(log.lineOf(log.history().live().get(0).allocatedAt())).hasValue(3);
        assertThat(log.lineOf(0)).isEmpty();
        assertThat(log.lineOf(99)).isEmpty();
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
        Accumulation accumulation = Accumulation.of(log.history());
        if (accumulation.rounds() > 0) {
            facts.add(accumulation.rounds() + " rounds, " + accumulation.trend());
        }
        facts.addAll(Logs.reports(log));
        return facts;
    }
}
