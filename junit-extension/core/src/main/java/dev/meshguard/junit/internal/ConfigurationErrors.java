package dev.meshguard.junit.internal;

import java.security.CodeSource;
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
                String.format(Locale.ROOT, "%s: %s is rejected. %s", place, value, allowed));
    }

    /**
     * Returns the error for the value of a parameter, or of another name outside of the code.
     *
     * @param allowed a whole sentence
     */
    public static IllegalArgumentException ofParameter(String name, String value, String allowed) {
        return new IllegalArgumentException(
                String.format(Locale.ROOT, "%s = %s is rejected. %s", name, value, allowed));
    }

    /** Returns the class of a service's provider and the location of its jar, for messages. */
    public static String locationOf(Object provider) {
        CodeSource jar = provider.getClass().getProtectionDomain().getCodeSource();
        return provider.getClass().getName() + (jar == null ? "" : " in " + jar.getLocation());
    }
}
