package dev.meshguard.junit.internal;

import java.util.Locale;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** How a value that cannot be is refused: with its place, itself and what is allowed. */
public final class ConfigurationErrors {

    private ConfigurationErrors() {}

    /**
     * Returns the refusal.
     *
     * @param allowed a whole sentence
     */
    public static ExtensionConfigurationException of(String place, String value, String allowed) {
        return new ExtensionConfigurationException(
                String.format(Locale.ROOT, "%s: %s is refused. %s", place, value, allowed));
    }
}
