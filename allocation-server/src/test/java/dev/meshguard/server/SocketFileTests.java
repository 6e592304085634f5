package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.meshguard.server.protocol.RecordSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A socket without a listening server is replaced, one with a listening server never is. */
class SocketFileTests extends WithServer {

    @Test
    void onlyItsUserMayConnect() throws IOException {
        start(RecordSize.BYTES_72);

        assertThat(Files.getPosixFilePermissions(server.socketPath()))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void theSocketGoesWithTheServerWhichCanBeClosedTwice() throws IOException {
        start(RecordSize.BYTES_72);
        server.close();
        server.close();

        assertThat(names()).isEmpty();
    }

    @Test
    void aSocketThatNobodyAnswersAtIsReplaced() throws IOException {
        stale(folder.resolve("s"));
        assertThat(names()).containsExactly("s");

        start(RecordSize.BYTES_72);

        assertThat(report().dram()).isZero();
        assertThat(names()).containsExactly("s");
    }

    /** A killed server may have left its claim to a stale socket, which keeps only that one from being replaced. */
    @Test
    void aClaimThatIsLeftIsNamedAndBlocksNoOtherSocket() throws IOException {
        stale(folder.resolve("s"));
        stale(folder.resolve("t"));
        Path claim = Files.createFile(folder.resolve(".c" + Integer.toString("t".hashCode(), 36)));
        Files.createFile(folder.resolve(".c"));

        start(RecordSize.BYTES_72);

        Path blocked = folder.resolve("t");
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertThatIOException()
                    .isThrownBy(() -> SocketFile.bind(other, blocked, 3))
                    .withMessage("Nobody answers at " + blocked + ", and it cannot be removed because " + claim
                            + " exists, which a server has only while it removes a socket. Remove both, or choose"
                            + " another path.");
        }
        assertThat(names())
                .containsExactlyInAnyOrder("s", "t", ".c", claim.getFileName().toString());
    }

    @Test
    void aSocketAtWhichAnotherServerAnswersIsLeftAlone() throws IOException {
        start(RecordSize.BYTES_72);

        assertThatIOException()
                .isThrownBy(() -> builder(RecordSize.BYTES_72).start())
                .withMessage("Another allocation server listens at " + folder.resolve("s")
                        + ". Stop it, or choose another path.");

        assertThat(report().dram()).isZero();
        assertThat(names()).containsExactly("s");
    }

    /** A file, folders, a named pipe, a device, and links to nothing and to a stale socket. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo precious > s",
                "mkdir s",
                "mkdir s; touch s/precious",
                "mkfifo s",
                "mknod s c 1 3",
                "ln -s nothing s",
                "ln -s stale s"
            })
    void whatIsNoSocketIsLeftAlone(String obstacle) throws IOException, InterruptedException {
        stale(folder.resolve("stale"));
        Process shell = new ProcessBuilder("sh", "-c", obstacle)
                .directory(folder.toFile())
                .start();
        assumeTrue(shell.waitFor() == 0, "the obstacle can be created; a device needs permission");
        List<String> before = everything();

        assertThatIOException()
                .isThrownBy(() -> builder(RecordSize.BYTES_72).start())
                .withMessage(folder.resolve("s")
                        + " is no socket, so it is not replaced. Remove it, or choose another path.");
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void ofServersThatFindOneStaleSocketOneTakesItsPlace() throws Exception {
        int servers = 4;
        ExecutorService threads = Executors.newFixedThreadPool(servers);
        try {
            for (int round = 0; round < 100; round++) {
                stale(folder.resolve("s"));
                CyclicBarrier together = new CyclicBarrier(servers);
                Callable<Optional<AllocationServer>> starting = () -> {
                    together.await(30, TimeUnit.SECONDS);
                    try {
                        return Optional.of(builder(RecordSize.BYTES_72).start());
                    } catch (IOException e) {
                        assertThat(e).hasMessageStartingWith("Another allocation server listens at ");
                        return Optional.empty();
                    }
                };
                List<AllocationServer> started = new ArrayList<>();
                for (Future<Optional<AllocationServer>> one :
                        threads.invokeAll(Collections.nCopies(servers, starting))) {
                    one.get().ifPresent(started::add);
                }

                assertThat(started).as("round %d", round).hasSize(1);
                assertThat(names()).as("round %d", round).containsExactly("s");
                server = started.get(0);
                assertThat(report().dram()).isZero();
                server.close();
                assertThat(names()).as("round %d", round).isEmpty();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aServerThatIsTooBusyToAcceptIsThere() throws IOException {
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel busy = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            busy.bind(UnixDomainSocketAddress.of(folder.resolve("s")), 1);
            while (isAccepted(folder.resolve("s"), waiting)) {
                assertThat(waiting).hasSizeLessThan(1000);
            }

            assertThatIOException()
                    .isThrownBy(() -> builder(RecordSize.BYTES_72).start())
                    .withMessageStartingWith("Another allocation server listens at ");
            assertThat(names()).containsExactly("s");
        } finally {
            for (SocketChannel one : waiting) {
                one.close();
            }
        }
    }

    /** The path has one byte more than the system allows, or the folder is so long that there is no room for one of its own. */
    @ParameterizedTest
    @ValueSource(ints = {108, 107})
    void rejectsAPathThatIsTooLongAndLeavesNothingBehind(int length) throws IOException {
        int missing = length - 2 - folder.toString().length() - 1;
        Path deep = Files.createDirectory(folder.resolve("d".repeat(missing)));

        assertThatIOException()
                .isThrownBy(() ->
                        builder(RecordSize.BYTES_72).socket(deep.resolve("s")).start())
                .withMessageMatching(
                        "The path of the socket .* is \\d+ bytes too long, also because the socket is created in a folder of its own"
                                + " beside it\\. Choose a shorter one\\.");
        assertThat(deep).isEmptyDirectory();
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

    /** Somebody made a link to itself of its folder. */
    @Test
    void aSocketThatCannotBeRemovedIsNamed() throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        Path path = inner.resolve("s");
        server = builder(RecordSize.BYTES_72).socket(path).start();
        Files.delete(path);
        Files.delete(inner);
        Files.createSymbolicLink(inner, inner);

        server.close();

        assertThat(server.problems())
                .singleElement()
                .asString()
                .startsWith("the server could not be closed completely: the file of the socket " + path
                        + " could not be removed (Too many levels of symbolic links")
                .endsWith("). Remove it");
    }

    @Test
    void aFolderThatDoesNotExistIsNamed() {
        Path path = folder.resolve("nowhere/s");

        assertThatIOException()
                .isThrownBy(() -> builder(RecordSize.BYTES_72).socket(path).start())
                .withMessage("The folder of the socket " + path + " does not exist. Make it, or choose another path.");
    }

    /** Returns whether there is room for one more connection that is not accepted. */
    private static boolean isAccepted(Path path, List<SocketChannel> waiting) throws IOException {
        SocketChannel next = SocketChannel.open(StandardProtocolFamily.UNIX);
        waiting.add(next);
        next.configureBlocking(false);
        try {
            return next.connect(UnixDomainSocketAddress.of(path));
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("temporarily unavailable");
            return false;
        }
    }

    /** A killed server leaves its socket. */
    private static void stale(Path path) throws IOException {
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(path));
        }
    }

    /** Returns all files with their identities and contents. */
    private List<String> everything() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> !file.equals(folder))
                    .sorted()
                    .map(SocketFileTests::described)
                    .toList();
        }
    }

    private static String described(Path file) {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return file + " " + attributes.fileKey() + " " + (attributes.isRegularFile() ? Files.readString(file) : "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Stream<String> names() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
