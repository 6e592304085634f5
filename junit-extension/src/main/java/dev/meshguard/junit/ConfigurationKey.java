package dev.meshguard.junit;

import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.junit.internal.HistoryFolder;
import dev.meshguard.junit.internal.ReportSettings;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.junit.internal.RunSettings.Update;
import dev.meshguard.junit.internal.pages.PageMode;
import dev.meshguard.junit.internal.pages.PageSettings;
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
enum ConfigurationKey {
    CHECK(
            "meshguard.check",
            AllocationCheck.class,
            description(AllocationCheck.values()),
            word(CheckPolicy.DEFAULTS.check()),
            "What has to hold when a test is over."),
    ON_FAILURE(
            "meshguard.on-failure",
            IncompleteTestPolicy.class,
            description(IncompleteTestPolicy.values()),
            word(CheckPolicy.DEFAULTS.onFailure()),
            "What becomes of the check of a test that failed before it."),
    ON_ABORT(
            "meshguard.on-abort",
            IncompleteTestPolicy.class,
            description(IncompleteTestPolicy.values()),
            word(CheckPolicy.DEFAULTS.onAbort()),
            "What becomes of the check of a test that was aborted before it."),
    LATE_FREES(
            "meshguard.late-frees",
            LateFrees.class,
            description(LateFrees.values()),
            word(CheckPolicy.DEFAULTS.lateFrees()),
            "What becomes of a test whose buffers were freed only after close began."),
    GRACE(
            "meshguard.grace",
            Duration.class,
            List.of(),
            "0 s",
            "How long a check waits at most for frees that other threads still make, for example 250 ms or 2 s."),
    ORIGINS(
            "meshguard.origins",
            OriginCapture.class,
            description(OriginCapture.values()),
            word(CheckPolicy.DEFAULTS.origins()),
            "Whose stack is taken."),
    EXPECTED_BUFFERS(
            RunSettings.EXPECTED_BUFFERS,
            Path.class,
            List.of(),
            "",
            "The file of buffers that may stay in every test."),
    BASELINE(RunSettings.BASELINE, Path.class, List.of(), "", "The file of known leaks, which fail no test."),
    BASELINE_UPDATE(
            RunSettings.UPDATE,
            String.class,
            description(Update.values()),
            word(Update.NONE),
            "What is written to the file of known leaks; nothing where the variable CI is set."),
    BASELINE_STRICT(
            RunSettings.STRICT,
            Boolean.class,
            List.of("true", "false"),
            "false",
            "Whether a known leak that is gone fails the run until it is taken out of the file."),
    RUN(
            RunSettings.RUN,
            String.class,
            List.of(),
            "",
            "A name for this run of all tests, another one each time; without it nothing is judged at the end."),
    ACCOUNT(
            RunSettings.ACCOUNT,
            Path.class,
            List.of(),
            "",
            "The folder in which each JVM of a run keeps its account; wants meshguard.run."),
    OUTPUT(
            RunSettings.OUTPUT,
            Path.class,
            List.of(),
            "",
            "The folder from which the folders of accounts, of histories and of pages count; the one in which the tests run unless given."),
    RECORD(
            HistoryFolder.RECORD,
            Path.class,
            List.of(),
            "",
            "The folder to which the history of every check is written, whether it fails or not."),
    PAGE(
            PageSettings.PAGE,
            String.class,
            description(PageMode.values()),
            word(PageMode.FAILURES),
            "Which checks leave a page that shows the memory of the run."),
    PAGE_FOLDER(
            PageSettings.FOLDER,
            Path.class,
            List.of(),
            "target/meshguard",
            "The folder of the pages; of Gradle it is build/meshguard, and below meshguard.output where that is given."),
    PAGE_SOURCES(
            PageSettings.SOURCES,
            Boolean.class,
            List.of("true", "false"),
            "true",
            "Whether the names of files, lines in them and stacks stand in pages."),
    SUMMARY(
            ReportSettings.SUMMARY,
            String.class,
            description(SummaryMode.values()),
            word(SummaryMode.ALWAYS),
            "When the summary of a run is printed."),
    ATTACH(
            ReportSettings.ATTACH,
            String.class,
            List.of("off", "failures"),
            "",
            "Whether evidence is attached to tests that fail; unless given, where JUnit writes reports.");

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
    String key() {
        return key;
    }

    Class<?> type() {
        return type;
    }

    /** Returns all values, if they can be listed. */
    List<String> allowed() {
        return allowed;
    }

    /** Returns the value that applies if none is given; empty if there is none. */
    String defaultValue() {
        return defaultValue;
    }

    /** Returns its purpose, as one sentence. */
    String description() {
        return description;
    }

    /** Returns the names of all parameters. */
    static List<String> keys() {
        return Arrays.stream(values()).map(ConfigurationKey::key).toList();
    }

    /**
     * Reads the policies from the configuration parameters of a run.
     *
     * @param parameters returns the value of a name
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    static PartialPolicy policies(Function<String, Optional<String>> parameters) {
        return new PartialPolicy(
                CHECK.choice(parameters, AllocationCheck.values()),
                ORIGINS.choice(parameters, OriginCapture.values()),
                ON_FAILURE.choice(parameters, IncompleteTestPolicy.values()),
                ON_ABORT.choice(parameters, IncompleteTestPolicy.values()),
                LATE_FREES.choice(parameters, LateFrees.values()),
                GRACE.given(parameters).map(ConfigurationKey::grace));
    }

    private <E extends Enum<E>> Optional<E> choice(Function<String, Optional<String>> parameters, E[] constants) {
        return given(parameters)
                .map(value -> Arrays.stream(constants)
                        .filter(constant -> word(constant).equals(value))
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

    private static List<String> description(Enum<?>[] constants) {
        return Arrays.stream(constants).map(ConfigurationKey::word).toList();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
