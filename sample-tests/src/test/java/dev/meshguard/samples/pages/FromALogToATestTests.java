package dev.meshguard.samples.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests that the tests on the page are small, although one of them comes from a large run. */
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
