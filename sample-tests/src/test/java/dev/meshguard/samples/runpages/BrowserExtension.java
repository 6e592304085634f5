package dev.meshguard.samples.runpages;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/** Starts a browser for a class and ends it with the class. */
final class BrowserExtension implements BeforeAllCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(BrowserExtension.class);

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
        // The store closes it when the class is over.
        context.getStore(NAMESPACE).put(Chromium.class, Chromium.start(installed.get()));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Chromium.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE).get(Chromium.class);
    }
}
