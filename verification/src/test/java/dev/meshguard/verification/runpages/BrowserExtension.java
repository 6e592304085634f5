package dev.meshguard.verification.runpages;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.openqa.selenium.WebDriverException;
import org.opentest4j.TestAbortedException;

/** Starts a browser for the classes of a Java machine, one after the other, and ends it with the machine. Each class has a tab of its own. */
final class BrowserExtension implements BeforeAllCallback, ParameterResolver {

    private static @Nullable Chromium browser;

    @Override
    public void beforeAll(ExtensionContext context) {
        Optional<List<Path>> installed = Chromium.installed();
        if (installed.isEmpty()) {
            String missing = "No chromium or no chromedriver is on the PATH: " + context.getDisplayName()
                    + " did not look at any page. Install both (Debian: apt-get install chromium chromium-driver).";
            if ("required".equals(System.getenv("MESHGUARD_BROWSER"))) {
                throw new IllegalStateException(missing);
            }
            System.out.println("SKIPPED: " + missing);
            throw new TestAbortedException(missing);
        }
        openTab(installed.get());
    }

    private static synchronized void openTab(List<Path> installed) {
        if (browser == null) {
            browser = Chromium.start(installed);
            Runtime.getRuntime().addShutdownHook(new Thread(BrowserExtension::end));
        }
        browser.openTab();
    }

    private static synchronized void end() {
        try {
            Objects.requireNonNull(browser).close();
        } catch (WebDriverException hasEnded) {
            // Its driver is stopped all the same.
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Chromium.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Objects.requireNonNull(browser);
    }
}
