package dev.meshguard.junit.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Finds parameters with unknown names, most of them typing errors.
 *
 * <p>JUnit gives an extension the value of a name, but no list of names. They are therefore searched where they are
 * visible: in the file of the class path, and among the system properties. Parameters of a launcher's request are not
 * visible.
 */
public final class UnknownParameters {

    private static final String FILE = "junit-platform.properties";
    private static final String PREFIX = "meshguard.";

    /** A name this near to another one is a typing error; a farther one may belong to another program. */
    private static final int SLIP = 2;

    private static final List<String> KNOWN = Arrays.stream(ConfigurationKey.values())
            .map(ConfigurationKey::key)
            .sorted()
            .toList();

    private UnknownParameters() {}

    /**
     * Rejects unknown names in the file.
     *
     * @param loader finds the file, as for JUnit
     * @param parameters returns the value of a name; JUnit did not read a name without a value either
     * @throws IllegalArgumentException for the first of them
     */
    public static void reject(ClassLoader loader, Function<String, Optional<String>> parameters) {
        for (String name : unknown(file(loader), parameters)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "%s: %s is rejected. %s", FILE, name, instead(name)));
        }
    }

    /** Returns a sentence for each system property that is probably a misspelt parameter. */
    public static List<String> misspelt(Properties system, Function<String, Optional<String>> parameters) {
        return unknown(system, parameters).stream()
                .flatMap(name -> nearest(name).stream()
                        .map(near -> "The system property " + name
                                + " is not read: there is no such parameter. Did you mean " + near + "?"))
                .toList();
    }

    private static Set<String> unknown(Properties properties, Function<String, Optional<String>> parameters) {
        Set<String> names = new TreeSet<>(properties.stringPropertyNames());
        names.removeIf(name -> !name.startsWith(PREFIX)
                || KNOWN.contains(name)
                || parameters.apply(name).isEmpty());
        return names;
    }

    private static Properties file(ClassLoader loader) {
        Properties properties = new Properties();
        try (InputStream file = loader.getResourceAsStream(FILE)) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return properties;
    }

    private static String instead(String name) {
        return nearest(name)
                .map(near -> "There is no such parameter; did you mean " + near + "?")
                .orElseGet(() -> "There is no such parameter; there are " + String.join(", ", KNOWN) + ".");
    }

    /** Returns the parameter that was probably meant. */
    private static Optional<String> nearest(String name) {
        return KNOWN.stream()
                .filter(one -> distance(name, one) <= SLIP)
                .min(Comparator.comparingInt(one -> distance(name, one)));
    }

    /** The number of characters to insert, remove or replace to turn one into the other. */
    private static int distance(String one, String other) {
        int[] before = new int[other.length() + 1];
        for (int column = 0; column <= other.length(); column++) {
            before[column] = column;
        }
        for (int row = 1; row <= one.length(); row++) {
            int[] now = new int[other.length() + 1];
            now[0] = row;
            for (int column = 1; column <= other.length(); column++) {
                int changed = before[column - 1] + (one.charAt(row - 1) == other.charAt(column - 1) ? 0 : 1);
                now[column] = Math.min(changed, 1 + Math.min(before[column], now[column - 1]));
            }
            before = now;
        }
        return before[other.length()];
    }
}
