package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.FindingsSettings;
import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.junit.internal.HistoryFolder;
import dev.meshguard.junit.internal.PageMode;
import dev.meshguard.junit.internal.PageSettings;
import dev.meshguard.junit.internal.ReportSettings;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.junit.internal.RunSettings.Update;
import dev.meshguard.junit.internal.summary.SummaryMode;
import dev.meshguard.tracker.OriginCapture;
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
            description(AllocationCheck.values()),
            word(CheckPolicy.DEFAULTS.check()),
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
            description(OriginCapture.values()),
            word(CheckPolicy.DEFAULTS.origins()),
            "The calls whose stack is captured."),
    EXPECTED_BUFFERS(
            RunSettings.EXPECTED_BUFFERS,
            Path.class,
            List.of(),
            "",
            "The file of buffers that are expected in every test."),
    BASELINE(RunSettings.BASELINE, Path.class, List.of(), "", "The file of known leaks, which fail no test."),
    BASELINE_UPDATE(
            RunSettings.UPDATE,
            String.class,
            description(Update.values()),
            word(Update.NONE),
            "The change to the file of known leaks, none if the variable CI is set; with strict, a leak that is gone fails the run."),
    RUN(
            RunSettings.RUN,
            String.class,
            List.of(),
            "",
            "A name for this run of all tests, a new one each time; without it nothing is judged at the end."),
    RECORD(
            HistoryFolder.RECORD,
            Path.class,
            List.of(),
            "",
            "The folder to which the history of every check is written, whether it fails or not."),
    FINDINGS(
            FindingsSettings.FINDINGS,
            Path.class,
            List.of(),
            "",
            "The folder in which each JVM writes its checks and findings as lines of JSON; RunVerifier judges a named run by them."),
    PAGE(
            PageSettings.PAGE,
            String.class,
            description(PageMode.values()),
            word(PageMode.FAILURES),
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
            description(SummaryMode.values()),
            word(SummaryMode.ALWAYS),
            "When the summary of a run is printed.");

    private final String key;
    private final Class<?> type;

    @SuppressWarnings("ImmutableEnumChecker") // All lists are made by words() and List.of(), which are unmodifiable.
    private final List<String> allowed;

    private final String defaultValue;
    private final String description;

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
                CHECK.read(AllocationCheck.values(), parameters).orElse(defaults.check()),
                ORIGINS.read(OriginCapture.values(), parameters).orElse(defaults.origins()),
                GRACE.given(parameters).map(ConfigurationKey::grace).orElse(defaults.grace()));
    }

    private <E extends Enum<E>> Optional<E> read(E[] constants, Function<String, Optional<String>> parameters) {
        return given(parameters)
                .map(value -> Arrays.stream(constants)
                        .filter(constant ->
                                allowed.contains(value) && word(constant).equals(value))
                        .findFirst()
                        .orElseThrow(() -> RunSettings.rejected(key, value, "It is " + anyOf(allowed) + ".")));
    }

    private static Duration grace(String value) {
        try {
            return GracePeriod.parse(value);
        } catch (IllegalArgumentException noDuration) {
            throw RunSettings.rejected(GRACE.key, value, String.valueOf(noDuration.getMessage()));
        }
    }

    private Optional<String> given(Function<String, Optional<String>> parameters) {
        return RunSettings.given(parameters, key);
    }

    private static String anyOf(List<String> words) {
        int last = words.size() - 1;
        return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    /** The constant for an omitted attribute is no value of a parameter. */
    private static List<String> description(Enum<?>[] constants) {
        return Arrays.stream(constants)
                .map(ConfigurationKey::word)
                .filter(word -> !word.equals("default"))
                .toList();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
