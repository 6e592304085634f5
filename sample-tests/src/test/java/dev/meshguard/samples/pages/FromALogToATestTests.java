package dev.meshguard.samples.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The tests on the page are small, although the run that one is of is not. */
class FromALogToATestTests {

    @Test
    void areOfADozenLines() throws IOException {
        assertThat(bodyOf(FromALogToATestPage.ofALog())).isLessThan(15);
        assertThat(bodyOf(FromALogToATestPage.ofARun())).isLessThan(15);
    }

    private static long bodyOf(String source) {
        return source.substring(source.indexOf("class ")).lines().count();
    }
}
