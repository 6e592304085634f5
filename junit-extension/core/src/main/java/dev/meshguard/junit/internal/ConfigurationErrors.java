package dev.meshguard.junit.internal;

import java.util.Locale;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** Creates the error for an invalid value: its location, the value and the allowed values. */
public final class ConfigurationErrors {

    private ConfigurationErrors() {}

    /**
     * Returns the error.
     *
     * @param allowed a whole sentence
     */
    public static ExtensionConfigurationException of(String place, String value, String allowed) {
        return new ExtensionConfigurationException(
                String.format(Locale.ROOT, "%s: %s is refused. %s", place, value, allowed));
    }
}
