package dev.meshguard.tracker.internal;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Returns loggers for lines at INFO and below, which print nothing if SLF4J has no provider.
 *
 * <p>SLF4J prints three lines to standard error if it has no provider and a logger is created. A run without warnings
 * prints nothing of SLF4J, so these loggers are created only where a provider can write their lines. For a
 * warning, call {@link LoggerFactory} at the place of the warning: without a provider, SLF4J's lines report that it is
 * lost.
 */
public final class DetailLoggers {

    private static final boolean PROVIDED = isProvided();

    private DetailLoggers() {}

    /** {@return the logger of a class, or one that prints nothing} */
    public static Logger of(Class<?> type) {
        return PROVIDED ? LoggerFactory.getLogger(type) : NOPLogger.NOP_LOGGER;
    }

    /** Searches as SLF4J does, which offers no way to ask. */
    private static boolean isProvided() {
        if (System.getProperty(LoggerFactory.PROVIDER_PROPERTY_KEY) != null) {
            return true;
        }
        try {
            return ServiceLoader.load(SLF4JServiceProvider.class, LoggerFactory.class.getClassLoader())
                    .iterator()
                    .hasNext();
        } catch (ServiceConfigurationError error) {
            return true; // SLF4J reports a provider that cannot be loaded.
        }
    }
}
