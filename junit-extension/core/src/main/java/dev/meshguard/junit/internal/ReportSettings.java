package dev.meshguard.junit.internal;

import dev.meshguard.junit.internal.summary.OutputMode;
import java.util.Optional;
import java.util.function.Function;

/**
 * The validated report settings of a build.
 *
 * @param summary when the summary of a run is printed
 * @param attachesHistories whether the history of a failed check is attached to its test
 */
public record ReportSettings(OutputMode summary, boolean attachesHistories) {

    /** The parameter for when the summary of a run is printed. */
    public static final String SUMMARY = "meshguard.summary";

    /** JUnit's own parameter: writes Open Test Reporting. */
    static final String OPEN_REPORT = "junit.platform.reporting.open.xml.enabled";

    /** JUnit's own parameter: the folder of reports and attached files. */
    static final String OUTPUT_FOLDER = "junit.platform.reporting.output.dir";

    /**
     * Reads parameters.
     *
     * @param parameters returns the value of a name
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    public static ReportSettings of(Function<String, Optional<String>> parameters) {
        return new ReportSettings(
                RunSettings.choice(parameters, SUMMARY, OutputMode.values()).orElse(OutputMode.ALWAYS),
                attachesHistories(parameters));
    }

    /** A file to which no report refers is useless, so it is written only where JUnit writes reports. */
    private static boolean attachesHistories(Function<String, Optional<String>> parameters) {
        return RunSettings.given(parameters, OPEN_REPORT)
                        .filter(Boolean::parseBoolean)
                        .isPresent()
                || RunSettings.given(parameters, OUTPUT_FOLDER).isPresent();
    }
}
