package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.meshguard.server.protocol.RecordSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A socket that nobody answers at is replaced, one at which somebody does never. */
class SocketFileTests extends WithServer {

    @Test
    void onlyItsUserMayConnect() throws IOException {
        start(RecordSize.BYTES_72);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.socketPath())))
                .isEqualTo("rw-------");
    }

    @Test
    void othersMayConnectIfAskedFor() throws IOException {
        server = builder(RecordSize.BYTES_72)
                .permissions(PosixFilePermissions.fromString("rw-rw-rw-"))
                .start();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.socketPath())))
                .isEqualTo("rw-rw-rw-");
    }

    @Test
    void theSocketGoesWithTheServer() throws IOException {
        start(RecordSize.BYTES_72);
        server.close();

        assertThat(names()).isEmpty();
    }

    @Test
    void aServerCanBeClosedTwice() throws IOException {
        start(RecordSize.BYTES_72);
        server.close();
        server.close();

        assertThat(log.toString().lines().filter(line -> line.contains("Server stopped")))
                .hasSize(1);
    }

    @Test
    void aSocketThatNobodyAnswersAtIsReplaced() throws IOException {
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
        }
        assertThat(names()).containsExactly("s");

        start(RecordSize.BYTES_72);

        try (RawClient client = client()) {
            assertThat(client.query(0).dram()).isZero();
        }
        assertThat(names()).containsExactly("s");
    }

    @Test
    void aSocketAtWhichAnotherServerAnswersIsLeftAlone() throws IOException {
        start(RecordSize.BYTES_72);

        assertThatIOException()
                .isThrownBy(() -> builder(RecordSize.BYTES_72).start())
                .withMessage("Another allocation server listens at " + folder.resolve("s")
                        + ". Stop it, or choose another path.");

        try (RawClient client = client()) {
            assertThat(client.query(0).dram()).isZero();
        }
        assertThat(names()).containsExactly("s");
    }

    @Test
    void aFileThatIsNoSocketIsLeftAlone() throws IOException {
        Files.writeString(folder.resolve("s"), "precious");

        assertThatIOException()
                .isThrownBy(() -> builder(RecordSize.BYTES_72).start())
                .withMessage(folder.resolve("s")
                        + " is no socket, so it is not replaced. Remove it, or choose another path.");
        assertThat(folder.resolve("s")).hasContent("precious");
    }

    @Test
    void aSocketOfSomebodyElseIsLeftAloneAtTheEnd() throws IOException {
        start(RecordSize.BYTES_72);
        Files.delete(folder.resolve("s"));
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(folder.resolve("s")));

            server.close();

            assertThat(names()).containsExactly("s");
        }
    }

    @Test
    void aPathThatIsTooLongIsNamed() {
        Path path = folder.resolve("s".repeat(120));

        assertThatIOException()
                .isThrownBy(() -> builder(RecordSize.BYTES_72).socket(path).start())
                .withMessage("The path of the socket has " + path.toString().length()
                        + " bytes, and the system allows 107: " + path + ". Choose a shorter one.");
    }

    @Test
    void aFolderThatDoesNotExistIsNamed() {
        Path path = folder.resolve("nowhere/s");

        assertThatIOException()
                .isThrownBy(() -> builder(RecordSize.BYTES_72).socket(path).start())
                .withMessage("The folder of the socket " + path + " does not exist. Make it, or choose another path.");
    }

    @Test
    void aLogThatCannotBeOpenedLeavesNoSocketBehind() {
        assertThatIOException()
                .isThrownBy(() -> builder(RecordSize.BYTES_72)
                        .log(folder.resolve("nowhere/log"))
                        .start());
        assertThat(names()).isEmpty();
    }

    private Stream<String> names() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
