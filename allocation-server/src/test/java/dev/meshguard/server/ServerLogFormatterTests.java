package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Quotients are printed in the format of tt-metal's server. */
class ServerLogFormatterTests {

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
        assertThat(ServerLogFormatter.figure(bytes, 1024)).isEqualTo(kilobytes);
        assertThat(ServerLogFormatter.figure(bytes, 1_048_576)).isEqualTo(megabytes);
    }
}
