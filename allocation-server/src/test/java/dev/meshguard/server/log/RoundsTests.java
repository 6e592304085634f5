package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Trend;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Lines that a script writes before each repetition divide a log into rounds. */
class RoundsTests {

    private static final AllocationLogReader READER = Logs.READER.roundsAt(Pattern.compile("^=== Run \\d+ ==="));

    @Test
    void aLogThatKeepsOneBufferMoreInEachRoundGrows() throws IOException {
        Accumulation accumulation =
                Accumulation.of(read(READER, round(1, kept(1)), round(2, kept(2)), round(3, kept(3)), round(4, kept(4)))
                        .history());

        assertThat(accumulation.rounds()).isEqualTo(4);
        assertThat(accumulation.trend()).isEqualTo(Trend.GROWING);
    }

    @Test
    void aLogThatKeepsAllocationsOfTheFirstRoundHasSettled() throws IOException {
        Accumulation accumulation = Accumulation.of(read(
                        READER,
                        round(1, kept(1)),
                        round(2, allocatedAndFreed(2)),
                        round(3, allocatedAndFreed(3)),
                        round(4, allocatedAndFreed(4)))
                .history());

        assertThat(accumulation.rounds()).isEqualTo(4);
        assertThat(accumulation.trend()).isEqualTo(Trend.SETTLED);
    }

    @Test
    void aDumpInTheMiddleEndsNoRound() throws IOException {
        String dump = "║           REMAINING ALLOCATED BUFFERS                       ║\nTotal tracked allocations: 1\n";
        Accumulation accumulation = Accumulation.of(
                read(READER, round(1, kept(1)), dump, round(2, allocatedAndFreed(2)), round(3, freed(1)))
                        .history());

        assertThat(accumulation.rounds()).isEqualTo(3);
    }

    @Test
    void aMarkBeforeAReportBeginsARoundAndItsRepetitionNone() throws IOException {
        AllocationLogReader reader = Logs.READER.roundsAt(Pattern.compile("step \\d+"));

        ParsedLog log = read(reader, "step 1 ", kept(1), "step 1 ", freed(1), "step 2 | ", kept(1), freed(1));

        assertThat(log.reports()).isEqualTo(4);
        assertThat(Accumulation.of(log.history()).rounds()).isEqualTo(2);
    }

    @Test
    void onlyTheGroupOfAMarkDistinguishesRounds() throws IOException {
        AllocationLogReader reader = Logs.READER.roundsAt(Pattern.compile("\\S+ step (\\d+)"));

        ParsedLog log = read(reader, "12:00 step 1 ", kept(1), "12:01 step 1 ", freed(1), "12:02 step 2 | ", kept(1));

        assertThat(Accumulation.of(log.history()).rounds()).isEqualTo(2);
    }

    @Test
    void aMarkHidesNoBlockThatIsNotRead() throws IOException {
        AllocationLogReader reader = Logs.READER.roundsAt(Pattern.compile("BUFFER ALLOCATED"));

        ParsedLog log = read(reader, kept(1), freed(1), "BUFFER ALLOCATED\n");

        assertThat(LeakCheck.create().examine(log.history()).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    private static ParsedLog read(AllocationLogReader reader, String... parts) throws IOException {
        byte[] text = String.join("", parts).getBytes(StandardCharsets.UTF_8);
        return reader.read(new ByteArrayInputStream(text), "test.log");
    }

    private static String round(int number, String lines) {
        return "=== Run " + number + " ===\n" + lines;
    }

    private static String kept(int id) {
        return String.format(
                Locale.ROOT, "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=%d)\n", id * 4096);
    }

    private static String freed(int id) {
        return String.format(Locale.ROOT, "✗ [PID 7] Freed buffer %d on device 0 (4096 bytes, FINAL)\n", id * 4096);
    }

    private static String allocatedAndFreed(int id) {
        return kept(id) + freed(id);
    }
}
