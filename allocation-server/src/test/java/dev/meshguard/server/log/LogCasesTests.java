package dev.meshguard.server.log;

import static dev.meshguard.server.log.Logs.ALLOCATED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.VerdictFacts;
import dev.meshguard.tracker.script.TableCase;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.growth.Accumulation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Everything that is read from short logs, by the table in {@code log-cases.txt}. */
class LogCasesTests {

    /** The pictures of control characters, which stand for these. */
    private static final Pattern PICTURE = Pattern.compile("[␀-␟]");

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void aLogShows(TableCase one) throws IOException {
        List<String> lines = one.lines();
        boolean hasOption = lines.get(0).startsWith("% ");
        String[] option = (hasOption ? lines.get(0) : "%  ").split(" ", 3);
        AllocationLogReader reader =
                option[1].equals("rounds") ? Logs.READER.roundsAt(Pattern.compile(option[2])) : Logs.READER;
        Charset readAs = option[1].equals("encoding") ? Charset.forName(option[2]) : StandardCharsets.UTF_8;
        String text = option[1].equals("document")
                ? document(option[2])
                : lines.stream()
                        .skip(hasOption ? 1 : 0)
                        .map(line -> line + "\n")
                        .collect(Collectors.joining());
        String log = PICTURE.matcher(text)
                .replaceAll(found -> Character.toString(found.group().charAt(0) - '␀'));
        String read = new String(log.getBytes(StandardCharsets.UTF_8), readAs);

        List<String> facts =
                facts(reader.read(new ByteArrayInputStream(read.getBytes(StandardCharsets.UTF_8)), "test.log"));

        assertThat(facts).as(one.name()).isEqualTo(one.facts());
    }

    private static String document(String name) throws IOException {
        try (InputStream in = LogCasesTests.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void ofTheThreeControlBuffersOfTheDocumentItIsUndecidedWhetherTheyAreMemory() throws IOException {
        ParsedLog log = Logs.ofText(document("remaining-l1-buffers.md"));

        assertThat(Logs.verdictOn(log).survivors().get(0).diagnosis().evidence())
                .extracting(Evidence::text)
                .contains(
                        "it lies in a stack of L1 buffers without gaps from 0x18b20 (101152), where L1 begins on Wormhole B0"
                                + " (October 2025). Circular buffers stack upward from there, and the allocator allocates L1 from the top");
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
    void eventsKnowTheirLines() {
        ParsedLog log = Logs.of("text", "", ALLOCATED);

        assertThat(log.lineOf(log.history().live().get(0).allocatedAt())).hasValue(3);
        assertThat(log.lineOf(0)).isEmpty();
        assertThat(log.lineOf(99)).isEmpty();
    }

    static Stream<TableCase> cases() {
        return TableCase.of(LogCasesTests.class, "log-cases.txt");
    }

    private static List<String> facts(ParsedLog log) {
        List<String> facts = VerdictFacts.of(Logs.verdictOn(log));
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
        facts.add(log.lines() + " lines, " + log.reports() + " reports");
        log.addresses().forEach(use -> facts.add(use.toString()));
        facts.addAll(Logs.reports(log));
        return facts;
    }
}
