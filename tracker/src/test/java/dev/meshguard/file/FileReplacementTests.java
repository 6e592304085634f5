package dev.meshguard.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileReplacementTests {

    @TempDir
    Path folder;

    private static FileReplacement.Text<RuntimeException> text(String text) {
        return writer -> writer.write(text);
    }

    @Test
    void theOldContentIsThereUntilTheNewOneIsWhole() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "old");

        FileReplacement.writeText(file, writer -> {
            writer.write("new");
            writer.flush();
            assertThat(file).hasContent("old");
        });

        assertThat(file).hasContent("new");
        assertThat(files()).containsExactly("a");
    }

    @Test
    void aFailureLeavesTheOldContentAndNoDraft() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "old");

        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> FileReplacement.writeText(file, writer -> {
                    writer.write('n');
                    throw new IOException("No space left on device");
                }))
                .withMessage("No space left on device");

        assertThat(file).hasContent("old");
        assertThat(files()).containsExactly("a");
    }

    @Test
    void aSymbolicLinkStaysAndWhatItNamesIsReplaced() throws IOException {
        Path there = Files.createDirectory(folder.resolve("there"));
        Path file = Files.writeString(there.resolve("a"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("there", "a"));
        Path second = Files.createSymbolicLink(folder.resolve("second"), link);

        FileReplacement.writeText(second, text("new"));

        assertThat(link).isSymbolicLink();
        assertThat(second).isSymbolicLink();
        assertThat(file).isRegularFile().hasContent("new");
    }

    @Test
    void aLinkToNothingYetIsFollowed() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("a"));

        FileReplacement.writeText(link, text("new"));

        assertThat(link).isSymbolicLink().hasContent("new");
        assertThat(folder.resolve("a")).isRegularFile();
    }

    @Test
    void permissionsStay() throws IOException {
        assumeTrue(Files.getFileStore(folder).supportsFileAttributeView("posix"), "No POSIX permissions here");
        Path file = Files.writeString(folder.resolve("a"), "old");
        for (String permissions : List.of("rw-------", "rwxrwxrwx")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));

            FileReplacement.writeText(file, text("new"));

            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo(permissions);
        }
    }

    @Test
    void aNewFileHasThePermissionsOfAnyNewFile() throws IOException {
        assumeTrue(Files.getFileStore(folder).supportsFileAttributeView("posix"), "No POSIX permissions here");
        Path usual = Files.writeString(folder.resolve("usual"), "");
        Path file = folder.resolve("a");

        FileReplacement.writeText(file, text("new"));

        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(Files.getPosixFilePermissions(usual));
    }

    @Test
    void whatIsNoRegularFileIsWrittenInPlace() throws IOException {
        Path device = Path.of("/dev/null");
        assumeTrue(Files.exists(device), "There is no /dev/null here");

        FileReplacement.writeText(device, text("gone"));

        assertThat(Files.isRegularFile(device)).isFalse();
    }

    /** Who opened the file would not see a file that replaces it. */
    @Test
    void aLinkToAnOpenFileIsWrittenInPlace() throws IOException {
        Path names = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(names), "There is no /proc/self/fd here");
        Path file = Files.writeString(folder.resolve("a"), "old").toRealPath();
        try (InputStream open = Files.newInputStream(file);
                Stream<Path> all = Files.list(names)) {
            Path name = all.filter(one -> isLinkTo(one, file)).findFirst().orElseThrow();

            FileReplacement.writeText(Files.createSymbolicLink(folder.resolve("link"), name), text("new"));

            assertThat(open).hasContent("new");
        }
    }

    private static boolean isLinkTo(Path link, Path file) {
        try {
            return Files.readSymbolicLink(link).equals(file);
        } catch (IOException isClosed) {
            return false;
        }
    }

    @Test
    void aFullDeviceIsAFailure() {
        Path device = Path.of("/dev/full");
        assumeTrue(Files.exists(device), "There is no /dev/full here");

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> FileReplacement.writeText(device, text("lost")));
    }

    @Test
    void namesTheFileAndNotTheDraftWhereTheFolderIsMissing() {
        Path file = folder.resolve("no").resolve("a");

        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> FileReplacement.writeText(file, text("x")))
                .withMessage(file.toString());
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
