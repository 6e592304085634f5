package dev.meshguard.junit.internal;

import java.io.File;
import java.nio.file.Path;
import java.util.Map;

/**
 * The line of standard output by which a server finds an attached file; it reads the line from the XML of the tests.
 *
 * <p>The JUnit Attachments plugin of Jenkins, and Azure, need an absolute path. GitLab needs a path relative to the folder of
 * the project, which it names in a variable.
 */
final class AttachmentLine {

    private static final String PROJECT_OF_GITLAB = "CI_PROJECT_DIR";

    private AttachmentLine() {}

    /**
     * Returns the line.
     *
     * @param environment the environment variables of the process
     */
    static String of(Path file, Map<String, String> environment) {
        String path = file.toAbsolutePath().normalize().toString();
        String project = environment.getOrDefault(PROJECT_OF_GITLAB, "") + File.separator;
        boolean isInProject = project.length() > 1 && path.startsWith(project);
        return "[[ATTACHMENT|" + (isInProject ? path.substring(project.length()) : path) + "]]";
    }
}
