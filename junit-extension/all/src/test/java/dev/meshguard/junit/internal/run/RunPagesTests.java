package dev.meshguard.junit.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.junit.internal.OutputSettings;
import dev.meshguard.junit.internal.PageSubject;
import dev.meshguard.junit.internal.summary.OutputMode;
import dev.meshguard.page.internal.output.PageOutput;
import dev.meshguard.report.FailureOutput;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One artifact writes pages. */
class RunPagesTests {

    @TempDir
    private Path folder;

    @Test
    void requestedPagesNeedAnArtifactThatWritesThem() throws IOException {
        try (URLClassLoader empty = new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> begin(OutputMode.ALWAYS, empty))
                    .withMessage("meshguard.page = always is rejected. Nothing writes pages here: add the artifact"
                            + " meshguard-page to the class path of the tests.");
        }
    }

    /** Pages of failures are an addition; the text of a failure is complete without them. */
    @Test
    void pagesOfFailuresNeedNone() throws IOException {
        try (URLClassLoader empty = new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader())) {
            RunPages pages = begin(OutputMode.FAILURES, empty);

            assertThat(problem(pages)).isEmpty();
        }
    }

    @Test
    void namesBothOfTwoArtifactsThatWritePages() throws IOException {
        try (URLClassLoader loader = withSecondOutput()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> begin(OutputMode.ALWAYS, loader))
                    .withMessage("Two artifacts write pages: %s and %s. Remove one from the class path.", both());
        }
    }

    @Test
    void aFailureNamesBothOfTwoArtifactsThatWritePages() throws IOException {
        try (URLClassLoader loader = withSecondOutput()) {
            RunPages pages = begin(OutputMode.FAILURES, loader);

            assertThat(problem(pages))
                    .get()
                    .extracting(Throwable::getCause)
                    .hasToString(
                            "java.lang.IllegalArgumentException: Two artifacts write pages: %s and %s. Remove one from"
                                    + " the class path.",
                            both());
        }
    }

    private Object[] both() {
        return new Object[] {location(PageOutput.class), location(SecondOutput.class)};
    }

    private static String location(Class<?> type) {
        return type.getName() + " in "
                + type.getProtectionDomain().getCodeSource().getLocation();
    }

    private static Optional<IllegalStateException> problem(RunPages pages) {
        return pages.reserve(new PageSubject("Test#fails", "Test#fails", "id", false))
                .problem();
    }

    private RunPages begin(OutputMode mode, ClassLoader loader) {
        return new RunPages(
                new OutputSettings(OutputMode.OFF, false, Optional.empty(), mode, folder),
                Optional.empty(),
                name -> null,
                0,
                loader);
    }

    private URLClassLoader withSecondOutput() throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(FailureOutput.class.getName()), SecondOutput.class.getName());
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, RunPagesTests.class.getClassLoader());
    }

    /** Another artifact that writes pages. */
    public static final class SecondOutput implements FailureOutput {

        @Override
        public Folder open(Settings settings) {
            throw new IllegalStateException(Optional.of(settings).toString());
        }
    }
}
