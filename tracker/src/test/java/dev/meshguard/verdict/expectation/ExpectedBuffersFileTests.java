package dev.meshguard.verdict.expectation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpectedBuffersFileTests {

    private static final Expectation ALL = Expectation.because("shared by \"all\" tests\n# ünd é")
            .type(BufferType.DRAM)
            .devices(DeviceSet.parse("0-3,5"))
            .size(4_096)
            .between(2, 8)
            .owner("7 (add)")
            .label("weights")
            .origin("KvCacheTest.weights")
            .until("2026-12-31");

    @Test
    void writesEveryClauseInOneOrder() {
        assertThat(ALL.toText())
                .isEqualTo(
                        "DRAM devices 0-3,5 size 4096 count between 2-8 owner \"7 (add)\" label \"weights\" origin"
                                + " \"KvCacheTest.weights\" until 2026-12-31 because \"shared by \\\"all\\\" tests\\n# ünd é\"");
    }

    @Test
    void readsClausesInAnyOrderBetweenCommentsAndEmptyLines() {
        ExpectedBuffers read = ExpectedBuffers.parse("""
                # What the model keeps on purpose.

                \tbecause "rings"   count exactly 8 DRAM device 3 # of the dispatch
                label weights because "shared"
                """, "expected.txt");

        assertThat(read.entries())
                .containsExactly(
                        Expectation.because("rings")
                                .type(BufferType.DRAM)
                                .devices(DeviceSet.of(3))
                                .exactly(8),
                        Expectation.because("shared").label("weights"));
        assertThat(read.entries())
                .extracting(entry -> entry.source().orElseThrow().toString())
                .containsExactly("expected.txt:3", "expected.txt:4");
    }

    @Test
    void readsFilesOfOtherEditors() {
        ExpectedBuffers read = ExpectedBuffers.parse("\ufeffL1 because \"a\"\r\nDRAM because \"b\"", "expected.txt");

        assertThat(read.toText()).isEqualTo("""
                L1 because "a"
                DRAM because "b"
                """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0000',
            value = {
                "DRAM sice 5 because \"x\"|6|\"sice\" is no clause. Here may stand a type (DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE),"
                        + " device, devices, size, count, owner, label, origin, overwritten, until, because.",
                "\"DRAM\" because \"x\"|1|\"DRAM\" is no clause. Here may stand a type (DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE),"
                        + " device, devices, size, count, owner, label, origin, overwritten, until, because.",
                "DRAM|5|the reason is missing. At the end of an entry stands why: because \"…\".",
                "DRAM because|13|the line ends where the reason has to stand.",
                "DRAM because \"\"|14|An expected buffer needs a reason: say in \"because\" why it is expected; a blank one was given.",
                "DRAM because \"…\"|14|Say instead of \"…\" why the buffers are expected.",
                "DRAM L1 because \"x\"|6|a second type. Each clause stands at most once; write an entry for each.",
                "device 1 devices 2 because \"x\"|10|a second device. Each clause stands at most once; write an entry for each.",
                "devices 3-1 because \"x\"|9|Devices are ids and ranges of ids up to 65535, for example 0-3,5: \"3-1\" was given.",
                "size 4KiB because \"x\"|6|A number from 0 to 9223372036854775807 without unit stands here: \"4KiB\" was given.",
                "size 9223372036854775808 because \"x\"|6|A number from 0 to 9223372036854775807 without unit stands here:"
                        + " \"9223372036854775808\" was given.",
                "count 8 because \"x\"|7|\"8\" is no bound. Here may stand exactly 8, atMost 8, atLeast 2, between 2-8.",
                "count between 8 because \"x\"|15|Between stand two numbers, for example 2-8: \"8\" was given.",
                "count exactly|14|the line ends where a number has to stand.",
                "origin Model#load because \"x\"|8|An expected buffer's origin is a class, a method or a package, for example KvCacheTest,"
                        + " KvCacheTest.weights or dev.example.model.*: \"Model#load\" was given.",
                "until 2026-02-30 because \"x\"|7|An expected buffer's until is the last day on which it is expected, as an ISO date like"
                        + " 2026-12-31: \"2026-02-30\" was given.",
                "because \"x|9|this quoted text has no end: a \" is missing.",
                "because \"\\x\"|10|after a \\ may stand \", \\, n, r, t, or u with four hexadecimal digits.",
                "because \"\\u12g4\"|10|after \\u stand four hexadecimal digits.",
                "because \"\\|10|after a \\ may stand \", \\, n, r, t, or u with four hexadecimal digits.",
            })
    void saysWhereALineIsWrongAndWhatCouldStandThere(String line, int column, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExpectedBuffers.parse("\n" + line, "expected.txt"))
                .withMessage("expected.txt:2:" + column + ": " + message);
    }

    @Test
    void readsWhatItWrites() {
        Seed seed = Seed.next();
        Random random = seed.random();
        for (int i = 0; i < 2_000; i++) {
            ExpectedBuffers written = new ExpectedBuffers(IntStream.range(0, random.nextInt(4))
                    .mapToObj(unused -> randomEntry(random))
                    .toList());

            ExpectedBuffers read = ExpectedBuffers.parse(written.toText(), "expected.txt");

            assertThat(read).as(seed.toString()).isEqualTo(written);
            assertThat(read.toText()).as(seed.toString()).isEqualTo(written.toText());
        }
    }

    @Test
    void loadsAFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("expected.txt"), "L1 because \"é\"\n");

        ExpectedBuffers read = ExpectedBuffers.load(file);

        assertThat(read.entries()).hasToString("[L1, because \"é\" at " + file + ":1]");
    }

    @Test
    void rejectsAFileInAnotherEncoding(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("expected.txt"), new byte[] {'"', (byte) 0xe9, '"'});

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExpectedBuffers.load(file))
                .withMessage(file + " is not in UTF-8: save it as UTF-8.");
    }

    private static Expectation randomEntry(Random random) {
        Expectation entry = Expectation.because("x" + randomText(random));
        if (random.nextBoolean()) {
            entry = entry.type(BufferType.values()[random.nextInt(BufferType.values().length)]);
        }
        if (random.nextBoolean()) {
            entry = entry.devices(
                    DeviceSet.of(random.ints(random.nextInt(5), 0, 32).toArray()));
        }
        if (random.nextBoolean()) {
            entry = entry.size(random.nextLong() & Long.MAX_VALUE);
        }
        if (random.nextBoolean()) {
            long fewest = random.nextInt(3);
            entry = entry.count(new Bound(fewest, random.nextBoolean() ? Long.MAX_VALUE : fewest + random.nextInt(3)));
        }
        if (random.nextBoolean()) {
            entry = entry.owner("o" + randomText(random));
        }
        if (random.nextBoolean()) {
            entry = entry.label("l" + randomText(random)).origin("Model.load");
        }
        return random.nextBoolean()
                ? entry.until(LocalDate.ofEpochDay(random.nextInt(40_000)).toString())
                : entry;
    }

    private static String randomText(Random random) {
        List<String> parts =
                List.of(" ", "#", "\"", "\\", "\n", "\r\n", "\t", "é", "…", "😀", "\u2028", "\u202e", "\u0000", "n");
        return IntStream.range(0, random.nextInt(8))
                .mapToObj(unused -> parts.get(random.nextInt(parts.size())))
                .collect(Collectors.joining());
    }
}
