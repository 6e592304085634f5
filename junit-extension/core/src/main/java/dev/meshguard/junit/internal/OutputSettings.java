package dev.meshguard.junit.internal;

import dev.meshguard.junit.internal.summary.OutputMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * The validated settings of a build for the output of a run beside its failures and findings.
 *
 * @param summary when the summary of a run is printed
 * @param attachesHistories whether the history of a failed check is attached to its test
 * @param record the folder of the histories of all checks, if they are written
 * @param page the checks that write a page
 * @param pageFolder the folder of pages
 */
public record OutputSettings(
        OutputMode summary, boolean attachesHistories, Optional<Path> record, OutputMode page, Path pageFolder) {

    /** JUnit's own parameter: writes Open Test Reporting. */
    private static final String OPEN_REPORT = "junit.platform.reporting.open.xml.enabled";

    /** JUnit's own parameter: the folder of reports and attached files. */
    private static final String OUTPUT_FOLDER = "junit.platform.reporting.output.dir";

    private static final Path OF_MAVEN = Path.of("target");
    private static final Path OF_GRADLE = Path.of("build");

    /**
     * Reads parameters.
     *
     * @param parameters returns the value of a name
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    public static OutputSettings of(Function<String, Optional<String>> parameters) {
        return new OutputSettings(
                ConfigurationKey.SUMMARY.constant(OutputMode.class, parameters),
                attachesHistories(parameters),
                ConfigurationKey.RECORD.path(parameters),
                ConfigurationKey.PAGE.constant(OutputMode.class, parameters),
                ConfigurationKey.PAGE_FOLDER
                        .path(parameters)
                        .orElseGet(() -> folderOfBuild().resolve("meshguard")));
    }

    /** A file to which no report refers is useless, so it is written only where JUnit writes reports. */
    private static boolean attachesHistories(Function<String, Optional<String>> parameters) {
        return parameters
                        .apply(OPEN_REPORT)
                        .map(String::strip)
                        .filter(Boolean::parseBoolean)
                        .isPresent()
                || parameters
                        .apply(OUTPUT_FOLDER)
                        .filter(folder -> !folder.isBlank())
                        .isPresent();
    }

    /** The output folder of the build tool, so that its cleaning deletes the pages. */
    private static Path folderOfBuild() {
        return !Files.isDirectory(OF_MAVEN) && Files.isDirectory(OF_GRADLE) ? OF_GRADLE : OF_MAVEN;
    }
}
