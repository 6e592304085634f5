package dev.meshguard.junit.internal;

import dev.meshguard.junit.internal.summary.OutputMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * The validated settings of a build for pages.
 *
 * @param mode the checks that write one
 * @param folder the folder of pages
 */
public record PageSettings(OutputMode mode, Path folder) {

    /** The parameter that selects the checks that write a page. */
    public static final String PAGE = "meshguard.page";

    /** The parameter that names the folder. */
    public static final String FOLDER = "meshguard.page.folder";

    private static final Path OF_MAVEN = Path.of("target");
    private static final Path OF_GRADLE = Path.of("build");
    private static final String NAME = "meshguard";

    /**
     * Reads parameters.
     *
     * @param parameters returns the value of a name
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    public static PageSettings of(Function<String, Optional<String>> parameters) {
        return new PageSettings(
                RunSettings.choice(parameters, PAGE, OutputMode.values()).orElse(OutputMode.FAILURES),
                RunSettings.path(parameters, FOLDER)
                        .orElseGet(() -> folderOfBuild().resolve(NAME)));
    }

    /** The output folder of the build tool, so that its cleaning deletes the pages. */
    private static Path folderOfBuild() {
        return !Files.isDirectory(OF_MAVEN) && Files.isDirectory(OF_GRADLE) ? OF_GRADLE : OF_MAVEN;
    }
}
