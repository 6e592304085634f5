package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.tracker.script.TableCase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Arbitrary bytes can be read as a log, without invented reports and in bounded memory; {@code -Dmeshguard.inputs=…}
 * sets the number of logs, {@code -Dmeshguard.seed=…} reruns a seed.
 */
class LogFuzzTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_121);
    private static final int INPUTS = Integer.getInteger("meshguard.inputs", 5_000);

    private static final Pattern BEGINS_LIKE_AN_ALLOCATION = Pattern.compile("Allocated ");

    /** Lines of each kind that a server or related tools write, and of text that people add. */
    private static final List<String> LINES = TableCase.of(LogFuzzTests.class, "log-cases.txt")
            .flatMap(one -> one.lines().stream())
            .distinct()
            .toList();

    private static final String[] WORDS = (String.join("\n", LINES)
                    + " ...\n -1 1e999 99999999999999999999 0xffffffffffffffff) \r \0 \t")
            .split("(?<=[ (=\n])|(?=[]),:.])", -1);

    private final Random random = new Random(SEED);

    @Test
    void everyInputIsReadAndNothingIsInvented() throws IOException {
        for (int input = 0; input < INPUTS; input++) {
            byte[] bytes = bytes();
            ParsedLog log = reader().read(new ByteArrayInputStream(bytes), "fuzz.log");
            Logs.verdictOn(log);

            long allocations = BEGINS_LIKE_AN_ALLOCATION
                    .matcher(new String(bytes, StandardCharsets.ISO_8859_1))
                    .results()
                    .count();
            assertThat(log.history().events().stream()
                            .filter(HistoryEvent.Allocated.class::isInstance)
                            .count())
                    .as("seed %d, input %d: allocations", SEED, input)
                    .isLessThanOrEqualTo(allocations);
            assertThat(log.history().live().size())
                    .as("seed %d, input %d: live buffers", SEED, input)
                    .isLessThanOrEqualTo((int) allocations);
            assertThat(log.lines())
                    .as("seed %d, input %d: lines", SEED, input)
                    .isGreaterThanOrEqualTo(log.unread().count());
            assertThat(log.history().lostReports().size())
                    .as("seed %d, input %d: what is said of losses", SEED, input)
                    .isLessThanOrEqualTo(30);
        }
    }

    @Test
    void whatIsKeptOfAFileThatIsNoLogIsBounded() throws IOException {
        byte[] noise = new byte[1 << 20];
        random.nextBytes(noise);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(noise);
        file.writeBytes(
                "\nunread\n──────────\n".repeat(UnreadLines.MAX_RANGES + 1).getBytes(StandardCharsets.UTF_8));

        ParsedLog log = Logs.READER.read(new ByteArrayInputStream(file.toByteArray()), "noise");

        assertThat(log.unread().samples()).hasSize(UnreadLines.MAX_SAMPLES);
        assertThat(log.unread().ranges()).hasSize(UnreadLines.MAX_RANGES);
        assertThat(log.addresses()).isEmpty();
        assertThat(log.history().events()).hasSizeLessThan(10);
    }

    private AllocationLogReader reader() {
        return random.nextInt(4) == 0 ? Logs.READER.roundsAt(Pattern.compile("=== Run")) : Logs.READER;
    }

    private byte[] bytes() {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        for (int word = random.nextInt(8) == 0 ? random.nextInt(60) : 0; word > 0; word--) {
            log.writeBytes(WORDS[random.nextInt(WORDS.length)].getBytes(StandardCharsets.UTF_8));
        }
        int lines = random.nextInt(14);
        for (int line = 0; line < lines; line++) {
            log.writeBytes(line(LINES.get(random.nextInt(LINES.size())).getBytes(StandardCharsets.UTF_8)));
            log.write(random.nextInt(30) == 0 ? '\r' : '\n');
        }
        byte[] bytes = log.toByteArray();
        return random.nextInt(20) == 0 ? line(bytes) : bytes;
    }

    /** Returns a line unchanged, or with a few bytes changed, removed, inserted or duplicated. */
    private byte[] line(byte[] line) {
        byte[] changed = line;
        int changes = random.nextInt(3) > 0 ? 0 : 1 + random.nextInt(3);
        for (int change = 0; change < changes && changed.length > 0; change++) {
            changed = changed(changed, random.nextInt(changed.length));
        }
        return changed;
    }

    private byte[] changed(byte[] line, int at) {
        ByteArrayOutputStream changed = new ByteArrayOutputStream();
        changed.write(line, 0, at);
        int rest = at;
        switch (random.nextInt(6)) {
            case 0 -> changed.write(random.nextInt(256));
            case 1 -> changed.write('0' + random.nextInt(10));
            case 2 -> rest = at + random.nextInt(line.length - at);
            case 3 -> changed.write(line, at, random.nextInt(line.length - at));
            case 4 -> changed.writeBytes("99999999999999999999".getBytes(StandardCharsets.US_ASCII));
            default -> {
                changed.write(random.nextInt(256));
                rest = at + 1;
            }
        }
        changed.write(line, rest, line.length - rest);
        return changed.toByteArray();
    }
}
