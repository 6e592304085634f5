package dev.meshguard.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTextTests {

    @ParameterizedTest
    @ValueSource(strings = {"", "kv-cache", "größer → 漢字", "\uD83D\uDE00", "\\u001b"})
    void whatATerminalShowsStaysAsItIs(String text) {
        assertThat(PrintableText.line(text)).isEqualTo(text);
    }

    @Test
    void whatATerminalObeysIsShownAsAnEscape() {
        assertThat(PrintableText.line("\u001b[2J\u009b31m\u007f")).isEqualTo("\\u001b[2J\\u009b31m\\u007f");
    }

    @Test
    void whatBreaksALineOrHidesIsShownAsAnEscape() {
        assertThat(PrintableText.line("a\nb\r\t\u2028\u2029\u202e\u200b\ufeff"))
                .isEqualTo("a\\u000ab\\u000d\\u0009\\u2028\\u2029\\u202e\\u200b\\ufeff");
    }

    @Test
    void halfAPairAndATagBeyondTheBasicPlaneAreShownAsEscapes() {
        assertThat(PrintableText.line("\uD83Dx\uDB40\uDC41")).isEqualTo("\\ud83dx\\udb40\\udc41");
    }

    @Test
    void aLineBreakInALineDoesNotBeginAnother() {
        assertThat(PrintableText.lines(List.of("LEAK in a\nCLEAN", "b"))).isEqualTo("LEAK in a\\u000aCLEAN\nb");
    }

    @Test
    void aLiteralEscapesTheSameCharacters() {
        assertThat(Quantities.quoted("\u001b\u2028\n\t\"\\")).isEqualTo("\"\\u001b\\u2028\\n\\t\\\"\\\\\"");
    }
}
