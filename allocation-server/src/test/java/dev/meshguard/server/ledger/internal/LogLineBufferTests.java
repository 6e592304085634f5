package dev.meshguard.server.ledger.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers are printed in the format of tt-metal's server. */
class LogLineBufferTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_260_301);

    private final StringBuilder text = new StringBuilder();
    private final LogLineBuffer buffer =
            new LogLineBuffer((bytes, length) -> text.append(new String(bytes, 0, length, StandardCharsets.UTF_8)));

    @ParameterizedTest
    @CsvSource({
        "4096, 4, 0.00390625",
        "12288, 12, 0.0117188",
        "22528, 22, 0.0214844",
        "36864, 36, 0.0351562",
        "14753792, 14408, 14.0703",
        "12503040, 12210, 11.9238",
        "100000000, 97656.2, 95.3674",
        "104857600, 102400, 100",
        "1073741824, 1.04858e+06, 1024",
        "0, 0, 0",
        "1, 0.000976562, 9.53674e-07",
        "1024000000, 1e+06, 976.562",
        "-4096, 1.80144e+16, 1.75922e+13"
    })
    void quotientsHaveSixDigits(long bytes, String kilobytes, String megabytes) {
        assertThat(LogLineBuffer.figureOf(bytes, 1024)).isEqualTo(kilobytes);
        assertThat(LogLineBuffer.figureOf(bytes, 1_048_576)).isEqualTo(megabytes);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 9, 10, -1, 4096, Long.MAX_VALUE, Long.MIN_VALUE + 1})
    void numbersAreWrittenOut(long number) {
        buffer.number(number).end();
        buffer.flush();

        assertThat(text).hasToString(number + "\n");
    }

    @Test
    void numbersWithoutASignAndHexadecimalOnesAreAsJavaPrintsThem() {
        Random random = new Random(SEED);
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            long number = random.nextLong() >>> random.nextInt(64);
            buffer.unsigned(number).text(" 0x").hexadecimal(number).end();
            expected.append(Long.toUnsignedString(number))
                    .append(" 0x")
                    .append(Long.toHexString(number))
                    .append('\n');
        }
        buffer.flush();

        assertThat(text.toString()).as("seed %d", SEED).isEqualTo(expected.toString());
    }

    @Test
    void textOfAnyLengthFits() {
        String line = "═".repeat(100_000);

        buffer.text("a").text(line).end();
        buffer.flush();

        assertThat(text.toString()).isEqualTo("a" + line + "\n");
    }
}
