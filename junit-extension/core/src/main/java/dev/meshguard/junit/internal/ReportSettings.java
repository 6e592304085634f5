package dev.meshguard.junit.internal;

import dev.meshguard.junit.internal.summary.SummaryMode;
import java.util.Optional;
import java.util.function.Function;

/**
 * The validated report settings of a build.
 *
 * @param summary when the summary of a run is printed
 * @param attachesFiles whether files are attached to failed tests
 * @param text the length of the text of a failure
 */
public record ReportSettings(SummaryMode summary, boolean attachesFiles, TextLength text) {

    /** The parameter for when the summary of a run is printed. */
    public static final String SUMMARY = "meshguard.summary";

    /** The parameter for the length of the text of a failure. */
    public static final String TEXT = "meshguard.text";

    /** The parameter for whether files are attached. */
    public static final String ATTACH = "meshguard.attach";

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
                mode(RunSettings.given(parameters, SUMMARY)),
                attachesFiles(parameters),
                text(RunSettings.given(parameters, TEXT)));
    }

    private static TextLength text(Optional<String> value) {
        return switch (value.orElse("short")) {
            case "short" -> TextLength.SHORT;
            case "full" -> TextLength.FULL;
            default -> throw RunSettings.rejected(TEXT, value.orElseThrow(), "It is short or full.");
        };
    }

    private static SummaryMode mode(Optional<String> value) {
        return switch (value.orElse("always")) {
            case "off" -> SummaryMode.OFF;
            case "failures" -> SummaryMode.FAILURES;
            case "always" -> SummaryMode.ALWAYS;
            default -> throw RunSettings.rejected(SUMMARY, value.orElseThrow(), "It is off, failures or always.");
        };
    }

    /** Files without a report that refers to them are useless, so by default they are written only with reports. */
    private static boolean attachesFiles(Function<String, Optional<String>> parameters) {
        Optional<String> value = RunSettings.given(parameters, ATTACH);
        return switch (value.orElse("")) {
            case "off" -> false;
            case "failures" -> true;
            case "" ->
                RunSettings.given(parameters, OPEN_REPORT)
                                .filter(Boolean::parseBoolean)
                                .isPresent()
                        || RunSettings.given(parameters, OUTPUT_FOLDER).isPresent();
            default -> throw RunSettings.rejected(ATTACH, value.orElseThrow(), "It is off or failures.");
        };
    }
}
