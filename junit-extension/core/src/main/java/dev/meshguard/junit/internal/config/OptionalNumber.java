package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.internal.ConfigurationErrors;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Reads a number that an annotation may omit, and rejects invalid ones.
 *
 * <p>Such an attribute is an array, because an annotation cannot express that a number was omitted. A default of -1
 * would look like an explicit -1, and would mean "any" instead of an error.
 */
final class OptionalNumber {

    private static final String ANY = "to allow any";

    private OptionalNumber() {}

    /**
     * Returns the number if it is given.
     *
     * @param values the attribute as written
     * @param name the name of the attribute
     * @param place the location of the annotation, for messages
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if it is negative, or there are several
     */
    static OptionalLong of(long[] values, String name, String place) {
        return of(values, name, place, ANY);
    }

    private static OptionalLong of(long[] values, String name, String place, String withoutIt) {
        if (values.length > 1) {
            throw ConfigurationErrors.of(place, name + " = " + Arrays.toString(values), "Give at most one.");
        }
        for (long value : values) {
            if (value < 0) {
                throw ConfigurationErrors.of(
                        place, name + " = " + value, "Give 0 or more, or leave it out " + withoutIt + ".");
            }
        }
        return Arrays.stream(values).findFirst();
    }

    /** Returns the number if it is given; see {@link #of(long[], String, String)}. */
    static OptionalInt of(int[] values, String name, String place) {
        return of(values, name, place, ANY);
    }

    /**
     * Returns the number if it is given; see {@link #of(long[], String, String)}.
     *
     * @param withoutIt the meaning of omitting it
     */
    static OptionalInt of(int[] values, String name, String place, String withoutIt) {
        OptionalLong given = of(Arrays.stream(values).asLongStream().toArray(), name, place, withoutIt);
        return given.isPresent() ? OptionalInt.of(Math.toIntExact(given.getAsLong())) : OptionalInt.empty();
    }
}
