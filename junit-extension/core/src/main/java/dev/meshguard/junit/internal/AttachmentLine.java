package dev.meshguard.junit.internal;

import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The line of standard output by which a server finds an attached file; it reads the line from the XML of the tests.
 *
 * <p>The JUnit Attachments plugin of Jenkins, and Azure, need an absolute path. GitLab needs a path relative to the folder of
 * the project, which it names in a variable.
 */
public final class AttachmentLine {

    private static final String PROJECT_OF_GITLAB = "CI_PROJECT_DIR";

    private AttachmentLine() {}

    /**
     * Returns the line.
     *
     * @param environment the environment variables of the process
     */
    public static String of(Path file, Map<String, String> environment) {
        Path absolute = file.toAbsolutePath().normalize();
        String path = Optional.ofNullable(environment.get(PROJECT_OF_GITLAB))
                .filter(project -> !project.isBlank())
                .map(project -> Path.of(project).normalize())
                .filter(absolute::startsWith)
                .map(project -> project.relativize(absolute).toString().replace(File.separatorChar, '/'))
                .orElseGet(absolute::toString);
        return "[[ATTACHMENT|" + path + "]]";
    }
}
