package dev.meshguard.junit.internal;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.RunSettings.Update;
import dev.meshguard.junit.internal.summary.OutputMode;
import dev.meshguard.tracker.OriginCapture;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * A configuration parameter of JUnit that MeshGuard reads.
 *
 * <p>This is the only list of them. The metadata that IDEs read and the table of {@code docs/configuration.md} are
 * compared with it.
 */
public enum ConfigurationKey {
    CHECK(
            "meshguard.check",
            AllocationCheck.class,
            AllocationCheck.CLEAN,
            "The condition that is checked after each test."),
    GRACE(
            "meshguard.grace",
            Duration.class,
            "0 s",
            "The longest time that a check waits for frees of other threads, for example 250 ms or 2 s."),
    ORIGINS("meshguard.origins", OriginCapture.class, OriginCapture.ALLOCATIONS, "The calls whose stack is captured."),
    EXPECTED_BUFFERS(
            "meshguard.expected-buffers", Path.class, "", "The file of buffers that are expected in every test."),
    BASELINE("meshguard.baseline", Path.class, "", "The file of known leaks, which fail no test."),
    BASELINE_UPDATE(
            "meshguard.baseline.update",
            String.class,
            Update.NONE,
            "The change to the file of known leaks, none if the variable CI is set; with strict, a leak that is gone fails the run."),
    RUN(
            "meshguard.run",
            String.class,
            "",
            "A name for this run of all tests, a new one each time; without it nothing is judged at the end."),
    RECORD(
            "meshguard.record",
            Path.class,
            "",
            "The folder to which the history of every check is written, whether it fails or not."),
    FINDINGS(
            "meshguard.findings",
            Path.class,
            "",
            "The folder in which each JVM writes its checks and findings as lines of JSON; RunVerifier judges a named run by them."),
    PAGE(
            "meshguard.page",
            String.class,
            OutputMode.FAILURES,
            "The checks that write a page with the memory of the run."),
    PAGE_FOLDER(
            "meshguard.page.folder",
            Path.class,
            "target/meshguard",
            "The folder of the pages; under Gradle build/meshguard."),
    SUMMARY("meshguard.summary", String.class, OutputMode.ALWAYS, "When the summary of a run is printed.");

    private final String key;
    private final Class<?> type;

    @SuppressWarnings("ImmutableEnumChecker") // All lists are made by words() and List.of(), which are unmodifiable.
    private final List<String> allowed;

    private final String defaultValue;
    private final String description;

    ConfigurationKey(String key, Class<?> type, Enum<?> defaultValue, String description) {
        this(key, type, words(defaultValue.getDeclaringClass()), word(defaultValue), description);
    }

    ConfigurationKey(String key, Class<?> type, String defaultValue, String description) {
        this(key, type, List.of(), defaultValue, description);
    }

    ConfigurationKey(String key, Class<?> type, List<String> allowed, String defaultValue, String description) {
        this.key = key;
        this.type = type;
        this.allowed = allowed;
        this.defaultValue = defaultValue;
        this.description = description;
    }

    /** Returns the name, as written in files. */
    public String key() {
        return key;
    }

    /** Returns the type of its values. */
    public Class<?> type() {
        return type;
    }

    /** Returns all values, if they can be listed. */
    public List<String> allowed() {
        return allowed;
    }

    /** Returns the value that applies if none is given; empty if there is none. */
    public String defaultValue() {
        return defaultValue;
    }

    /** Returns its purpose, as one sentence. */
    public String description() {
        return description;
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
     * Returns its value, or the default, as a path, if there is one.
     *
     * @throws IllegalArgumentException if its value is no path; the message names it
     */
    Optional<Path> path(Function<String, Optional<String>> parameters) {
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

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
