package dev.meshguard.junit.internal;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.summary.OutputMode;
import dev.meshguard.tracker.OriginCapture;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * A configuration parameter of JUnit that MeshGuard reads.
 *
 * <p>{@code META-INF/junit-platform-configuration-metadata.json} describes each for IDEs, and {@code docs/configuration.md} for
 * readers.
 */
public enum ConfigurationKey {
    CHECK("meshguard.check", AllocationCheck.CLEAN),
    GRACE("meshguard.grace", "0 s"),
    ORIGINS("meshguard.origins", OriginCapture.ALLOCATIONS),
    EXPECTED_BUFFERS("meshguard.expected-buffers", ""),
    BASELINE("meshguard.baseline", ""),
    BASELINE_UPDATE("meshguard.baseline.update", BaselineUpdate.NONE),
    RUN("meshguard.run", ""),
    RECORD("meshguard.record", ""),
    FINDINGS("meshguard.findings", ""),
    PAGE("meshguard.page", OutputMode.FAILURES),
    PAGE_FOLDER("meshguard.page.folder", "target/meshguard"),
    SUMMARY("meshguard.summary", OutputMode.ALWAYS);

    private final String key;

    @SuppressWarnings("ImmutableEnumChecker") // All lists are made by words() and List.of(), which are unmodifiable.
    private final List<String> allowed;

    private final String defaultValue;

    ConfigurationKey(String key, Enum<?> defaultValue) {
        this(key, words(defaultValue.getDeclaringClass()), word(defaultValue));
    }

    ConfigurationKey(String key, String defaultValue) {
        this(key, List.of(), defaultValue);
    }

    ConfigurationKey(String key, List<String> allowed, String defaultValue) {
        this.key = key;
        this.allowed = allowed;
        this.defaultValue = defaultValue;
    }

    /** Returns the name, as written in files. */
    public String key() {
        return key;
    }

    /** Returns all values, if they can be listed. */
    public List<String> allowed() {
        return allowed;
    }

    /** Returns the value that applies if none is given; empty if there is none. That of a folder depends on the build tool. */
    public String defaultValue() {
        return defaultValue;
    }

    /**
     * Returns its value; a blank one counts as not given.
     *
     * @param parameters returns the value of a name
     */
    public Optional<String> given(Function<String, Optional<String>> parameters) {
        return parameters.apply(key).map(String::strip).filter(value -> !value.isEmpty());
    }

    /**
     * Returns its value as a path, if it is given.
     *
     * @throws IllegalArgumentException if its value is no path; the message names it
     */
    public Optional<Path> path(Function<String, Optional<String>> parameters) {
        return given(parameters).map(value -> {
            try {
                return Path.of(value);
            } catch (InvalidPathException noPath) {
                throw rejected(value, "It is no path here: " + noPath.getReason() + ".");
            }
        });
    }

    /**
     * Returns the constant that its value, or the default, names.
     *
     * @throws IllegalArgumentException if it names none; the message lists all
     */
    public <E extends Enum<E>> E constant(Class<E> constants, Function<String, Optional<String>> parameters) {
        String value = given(parameters).orElse(defaultValue);
        return Arrays.stream(constants.getEnumConstants())
                .filter(constant -> allowed.contains(value) && word(constant).equals(value))
                .findFirst()
                .orElseThrow(() -> {
                    int last = allowed.size() - 1;
                    return rejected(
                            value,
                            "It is " + String.join(", ", allowed.subList(0, last)) + " or " + allowed.get(last) + ".");
                });
    }

    /** Returns the sentence for an error of writing to the path that it names, or to its default. */
    public String unwritten(String what, Path path, Throwable error) {
        return String.format(Locale.ROOT, "%s could not be written to %s (%s): %s", what, path, key, error);
    }

    /** Returns the error for a value; the allowed values are a whole sentence. */
    public IllegalArgumentException rejected(String value, String allowedValues) {
        return ConfigurationErrors.ofParameter(key, value, allowedValues);
    }

    /** The word for an omitted attribute of an annotation is no value of a parameter. */
    private static List<String> words(Class<? extends Enum<?>> constants) {
        return Arrays.stream(constants.getEnumConstants())
                .map(ConfigurationKey::word)
                .filter(word -> !word.equals("default"))
                .toList();
    }

    /** Returns how a value names a constant. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
