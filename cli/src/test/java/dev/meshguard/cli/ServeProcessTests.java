package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The exit of {@code meshguard serve} as a process of its own. */
@Timeout(120)
class ServeProcessTests {

    private static final Path FULL = Path.of("/dev/full");
    private static final Pattern ALLOCATION =
            Pattern.compile("✓ \\[PID \\d+] Allocated 64 bytes of DRAM on device 0 \\(buffer_id=\\d+\\)");

    @TempDir
    Path folder;

    @Test
    void aServerThatIsAskedToEndWritesItsLastLinesAndExitsWithZero() throws Exception {
        Path log = folder.resolve("server.log");
        Process server = started(List.of(), "--log", log.toString(), "--dead-check", "0", "--devices", "2");

        int status = statusOf(server, client -> {
            client.allocated(0, BufferType.L1, 64, 4096);
            assertThat(client.query(0).l1()).isEqualTo(4096);
        });

        assertThat(status).isZero();
        assertThat(log)
                .content()
                .contains("[PID " + ProcessHandle.current().pid() + "] Allocated 4096 bytes of L1 on device 0")
                .contains("Active allocations: 1")
                .endsWith("🛑 Allocation Server stopped\n");
        assertThat(folder.resolve("s")).doesNotExist();
        assertThat(errors()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--devices 0 | standard output cannot be written: No space left on device",
                "--log /dev/full | the log /dev/full cannot be written, so it ends here: No space left on device",
                "--log - | the log cannot be written, so it ends here: standard output cannot be written: No space left on device"
            })
    void aServerThatCannotWriteSaysSoServesOnAndEndsWith74(String options, String sentence) throws Exception {
        assumeTrue(Files.exists(FULL), "There is no /dev/full here, so no full disk is tried");
        Process server = command(List.of(), options.split(" ", -1))
                .redirectOutput(FULL.toFile())
                .start();

        int status = statusOf(server, client -> {
            client.allocated(0, BufferType.L1, 64, 4096);
            assertThat(client.query(0).l1()).isEqualTo(4096);
            // It accepts programs before it prints its first line.
            ProcessWait.until(server, () -> !errors().isEmpty());
        });

        assertThat(status).isEqualTo(74);
        assertThat(errors()).isEqualTo("meshguard: " + sentence + "\n");
    }

    /** The reports of a program while the server runs. */
    private interface Program {
        void report(AllocationClient client) throws IOException;
    }

    /** Lets a program report, asks the server to end, and returns its status. */
    private int statusOf(Process server, Program program) throws Exception {
        try (AllocationClient client = connected(server)) {
            program.report(client);

            server.destroy();

            assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.destroyForcibly();
        }
        return server.exitValue();
    }

    /** The buffers fill the heap, or what the server knows of their processes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 1_000_000})
    void aServerWithoutMemorySaysSoEndsAndLetsNobodyWait(int processes) throws Exception {
        Path log = folder.resolve("server.log");
        Process server = started(List.of("-Xmx24m"), "--dead-check", "0", "--log", log.toString());
        try (AllocationClient client = connected(server)) {
            for (long sent = 0; client.isConnected() && sent < 10_000_000; sent++) {
                client.send(Request.allocation(1 + (int) (sent % processes), 0, BufferType.DRAM, 1 + sent, 64));
            }
            assertThat(client.isConnected()).isFalse();
            assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.destroyForcibly();
        }
        assertThat(server.exitValue()).isEqualTo(70);
        assertThat(errors())
                .matches(
                        "meshguard: the server is out of memory and ends: its heap of \\d+ MiB is full\\. Allow it more"
                                + " \\(-Xmx\\)\\R");
        List<String> lines = Files.readAllLines(log);
        assertThat(lines.subList(2, lines.size() - 1))
                .hasSizeGreaterThan(10_000)
                .allMatch(ALLOCATION.asMatchPredicate());
        assertThat(log).content().endsWith("... reports are missing here\n");
        assertThat(folder.resolve("s")).doesNotExist();
    }

    /** Programs that cannot be accepted wait, and others end their connections meanwhile. */
    @Test
    void aServerWithoutFileDescriptorsGoesOnWhenItHasSomeAgain() throws Exception {
        ProcessBuilder command = command(List.of());
        command.command().addAll(0, List.of("sh", "-c", "ulimit -n 150 && exec \"$@\"", "sh"));
        Path output = folder.resolve("output");
        Process server = command.redirectOutput(output.toFile()).start();
        List<SocketChannel> programs = new ArrayList<>();
        try {
            // Before it has printed its last line, it loads classes, which needs descriptors.
            ProcessWait.until(server, () -> Files.readString(output).contains("Press Ctrl+C to stop."));
            connected(server).close();
            ProcessWait.until(server, () -> {
                connectIfThereIsRoom(programs);
                return !errors().isEmpty();
            });
            for (SocketChannel program : programs) {
                program.close();
            }

            try (AllocationClient client = connected(server)) {
                assertThat(client.query(0).dram()).isZero();
            }
        } finally {
            server.destroyForcibly();
        }
        assertThat(errors())
                .isEqualTo("meshguard: a connection could not be accepted: Too many open files. Allow this process more"
                        + " open files (ulimit -n)\n");
    }

    private void connectIfThereIsRoom(List<SocketChannel> programs) throws IOException {
        SocketChannel program = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            program.configureBlocking(false);
            program.connect(UnixDomainSocketAddress.of(folder.resolve("s")));
            programs.add(program);
        } catch (SocketException backlogIsFull) {
            program.close();
        }
    }

    private Process started(List<String> ofMachine, String... options) throws IOException {
        return command(ofMachine, options)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private ProcessBuilder command(List<String> ofMachine, String... options) {
        List<String> arguments = new ArrayList<>(List.of(
                "serve", "--record-size", "112", "--socket", folder.resolve("s").toString()));
        arguments.addAll(List.of(options));
        return MeshGuardProcess.of(ofMachine, arguments)
                .redirectError(folder.resolve("errors").toFile());
    }

    private String errors() throws IOException {
        return Files.readString(folder.resolve("errors"), StandardCharsets.UTF_8);
    }

    /** No event shows that the server listens, so a client retries until it answers. */
    private AllocationClient connected(Process server) throws IOException {
        AtomicReference<AllocationClient> client = new AtomicReference<>();
        ProcessWait.until(server, () -> {
            client.set(AllocationClient.builder()
                    .socket(folder.resolve("s"))
                    .recordSize(RecordSize.BYTES_112)
                    .onWarning(warning -> {})
                    .connect());
            return client.get().isConnected();
        });
        assertThat(client.get()).isNotNull().matches(AllocationClient::isConnected, "is answered by the server");
        return client.get();
    }
}
