package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.FindingsSettings;
import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.junit.internal.HistoryFolder;
import dev.meshguard.junit.internal.PageSettings;
import dev.meshguard.junit.internal.ReportSettings;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.junit.internal.RunSettings.Update;
import dev.meshguard.junit.internal.summary.OutputMode;
import dev.meshguard.tracker.OriginCapture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
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
            AllocationCheck.values(),
            CheckPolicy.DEFAULTS.check(),
            "The condition that is checked after each test."),
    GRACE(
            "meshguard.grace",
            Duration.class,
            List.of(),
            "0 s",
            "The longest time that a check waits for frees of other threads, for example 250 ms or 2 s."),
    ORIGINS(
            "meshguard.origins",
            OriginCapture.class,
            OriginCapture.values(),
            CheckPolicy.DEFAULTS.origins(),
            "The calls whose stack is captured."),
    EXPECTED_BUFFERS(RunSettings.EXPECTED_BUFFERS, "The file of buffers that are expected in every test."),
    BASELINE(RunSettings.BASELINE, "The file of known leaks, which fail no test."),
    BASELINE_UPDATE(
            RunSettings.UPDATE,
            String.class,
            Update.values(),
            Update.NONE,
            "The change to the file of known leaks, none if the variable CI is set; with strict, a leak that is gone fails the run."),
    RUN(
            RunSettings.RUN,
            String.class,
            List.of(),
            "",
            "A name for this run of all tests, a new one each time; without it nothing is judged at the end."),
    RECORD(HistoryFolder.RECORD, "The folder to which the history of every check is written, whether it fails or not."),
    FINDINGS(
            FindingsSettings.FINDINGS,
            "The folder in which each JVM writes its checks and findings as lines of JSON; RunVerifier judges a named run by them."),
    PAGE(
            PageSettings.PAGE,
            String.class,
            OutputMode.values(),
            OutputMode.FAILURES,
            "The checks that write a page with the memory of the run."),
    PAGE_FOLDER(
            PageSettings.FOLDER,
            Path.class,
            List.of(),
            "target/meshguard",
            "The folder of the pages; under Gradle build/meshguard."),
    SUMMARY(
            ReportSettings.SUMMARY,
            String.class,
            OutputMode.values(),
            OutputMode.ALWAYS,
            "When the summary of a run is printed.");

    private final String key;
    private final Class<?> type;

    @SuppressWarnings("ImmutableEnumChecker") // All lists are made by words() and List.of(), which are unmodifiable.
    private final List<String> allowed;

    private final String defaultValue;
    private final String description;

    ConfigurationKey(String key, String description) {
        this(key, Path.class, List.of(), "", description);
    }

    ConfigurationKey(String key, Class<?> type, Enum<?>[] allowed, Enum<?> defaultValue, String description) {
        this(key, type, RunSettings.words(allowed), RunSettings.word(defaultValue), description);
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

    /** Returns the names of all parameters. */
    public static List<String> keys() {
        return Arrays.stream(values()).map(ConfigurationKey::key).toList();
    }

    /**
     * Reads the policies from the configuration parameters of a run.
     *
     * @param parameters returns the value of a name
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    static CheckPolicy policies(Function<String, Optional<String>> parameters) {
        CheckPolicy defaults = CheckPolicy.DEFAULTS;
        return new CheckPolicy(
                RunSettings.choice(parameters, CHECK.key, AllocationCheck.values())
                        .orElse(defaults.check()),
                RunSettings.choice(parameters, ORIGINS.key, OriginCapture.values())
                        .orElse(defaults.origins()),
                RunSettings.given(parameters, GRACE.key)
                        .map(ConfigurationKey::grace)
                        .orElse(defaults.grace()));
    }

    private static Duration grace(String value) {
        try {
            return GracePeriod.parse(value);
        } catch (IllegalArgumentException noDuration) {
            throw RunSettings.rejected(GRACE.key, value, String.valueOf(noDuration.getMessage()));
        }
    }
}
