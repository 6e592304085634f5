package dev.meshguard.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantitiesTests {

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1 KiB (1024 B)",
        "12288, 12 KiB (12288 B)",
        "-2048, -2 KiB (-2048 B)",
        "14716928, 14.04 MiB (14716928 B)",
        "9223372036854775807, 8 EiB (9223372036854775807 B)",
    })
    void writesASizeWithItsExactBytes(long bytes, String text) {
        assertThat(Quantities.size(bytes)).isEqualTo(text);
    }

    @Test
    void sumsOfSizesEndAtTheLargestNumber() {
        assertThat(Quantities.saturatedSum(1_024, 2_048)).isEqualTo(3_072);
        assertThat(Quantities.saturatedSum(Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void writesAnAddressInBothWays() {
        assertThat(Quantities.address(1_073_739_776)).isEqualTo("0x3ffff800 (1073739776)");
        assertThat(Quantities.address(-1)).isEqualTo("0xffffffffffffffff (18446744073709551615)");
    }

    @Test
    void writesOneOfAThingWithoutAnS() {
        assertThat(Quantities.count(1, "buffer")).isEqualTo("1 buffer");
        assertThat(Quantities.count(0, "buffer")).isEqualTo("0 buffers");
    }

    @Test
    void writesTheSameInEveryLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));

            assertThat(Quantities.size(1_536)).isEqualTo("1.5 KiB (1536 B)");
        } finally {
            Locale.setDefault(before);
        }
    }
}
