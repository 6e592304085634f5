package dev.meshguard.samples.runpages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.openqa.selenium.WebDriverException;

/** The browser that the classes of a Java machine share. */
@InChromium
class BrowserTests {

    @InChromium
    static class EndsTheBrowserTestCase {

        @Test
        void ends(Chromium chromium) {
            try {
                chromium.command("Browser.close", Map.of());
            } catch (WebDriverException ended) {
                // It may end before it answers.
            }
        }
    }

    @InChromium
    static class LooksAtAPageTestCase {

        @Test
        void looks(Chromium chromium) {
            assertThat(chromium.value("1 + 1")).isEqualTo(2L);
        }
    }

    @Test
    void aClassAfterTheEndOfTheBrowserHasANewOne() {
        execute(EndsTheBrowserTestCase.class);

        execute(LooksAtAPageTestCase.class);
    }

    private static void execute(Class<?> type) {
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(type))
                .execute()
                .testEvents()
                .assertStatistics(tests -> tests.started(1).succeeded(1));
    }
}
