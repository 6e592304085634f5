package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The line that announces an attached file has the path that each server expects. */
class AttachmentLineTests {

    private static final Path PROJECT = Path.of("builds", "decoder").toAbsolutePath();
    private static final Path FILE = PROJECT.resolve("target").resolve("meshguard-history.jsonl");

    @Test
    void namesTheAbsolutePath() {
        Path relative = Path.of("builds", "decoder", "target", "..", "target", "meshguard-history.jsonl");

        assertThat(AttachmentLine.of(relative, Map.of())).isEqualTo("[[ATTACHMENT|" + FILE + "]]");
    }

    @Test
    void namesThePathInTheProjectOfGitLab() {
        assertThat(AttachmentLine.of(FILE, Map.of("CI_PROJECT_DIR", PROJECT.toString())))
                .isEqualTo("[[ATTACHMENT|target/meshguard-history.jsonl]]");
    }

    @Test
    void namesThePathInTheProjectHoweverGitLabWritesIt() {
        String project = PROJECT.toString().replace(File.separatorChar, '/') + "/";

        assertThat(AttachmentLine.of(FILE, Map.of("CI_PROJECT_DIR", project)))
                .isEqualTo("[[ATTACHMENT|target/meshguard-history.jsonl]]");
    }

    @Test
    void namesTheAbsolutePathOfAFileOutsideTheProject() {
        Path other = PROJECT.resolveSibling("decoder-2");

        assertThat(AttachmentLine.of(FILE, Map.of("CI_PROJECT_DIR", other.toString())))
                .isEqualTo("[[ATTACHMENT|" + FILE + "]]");
        assertThat(AttachmentLine.of(FILE, Map.of("CI_PROJECT_DIR", ""))).isEqualTo("[[ATTACHMENT|" + FILE + "]]");
    }
}
