package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.process.ServerProgram;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server whose JVM lacks heap or file descriptors. */
@Timeout(120)
class ServerProcessTests {

    @TempDir
    Path folder;

    private Process server;

    @AfterEach
    void end() {
        server.destroyForcibly();
    }

    /** The buffers fill the heap, or what the server knows of their processes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 1_000_000})
    void aServerWithoutMemorySaysSoEndsAndLetsNobodyWait(int processes) throws Exception {
        start(ServerProgram.command(folder.resolve("s"), "-Xmx24m"));
        try (AllocationClient client = connected()) {
            for (long sent = 0; client.isConnected() && sent < 10_000_000; sent++) {
                client.send(Request.allocation(1 + (int) (sent % processes), 0, BufferType.DRAM, 1 + sent, 64));
            }
            assertThat(client.isConnected()).isFalse();
        }
        assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(server.exitValue()).isEqualTo(70);
        assertThat(errors())
                .matches("the server is out of memory and ends: its heap of \\d+ MiB is full\\. Allow it more"
                        + " \\(-Xmx\\)\\R");
        assertThat(folder.resolve("s")).doesNotExist();
    }

    /** Programs that cannot be accepted wait, and others end their connections meanwhile. */
    @Test
    void aServerWithoutFileDescriptorsGoesOnWhenItHasSomeAgain() throws Exception {
        start(Stream.concat(
                        Stream.of("sh", "-c", "ulimit -n 150 && exec \"$@\"", "sh"),
                        Stream.of(ServerProgram.command(folder.resolve("s"))))
                .toArray(String[]::new));
        List<SocketChannel> programs = new ArrayList<>();
        connected().close();
        while (server.isAlive() && errors().isEmpty()) {
            connectIfThereIsRoom(programs);
        }
        for (SocketChannel program : programs) {
            program.close();
        }

        try (AllocationClient client = connected()) {
            assertThat(client.query(0).dram()).isZero();
        }
        assertThat(errors())
                .isEqualTo("a connection could not be accepted: Too many open files. Allow this process more open files"
                        + " (ulimit -n)\n");
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

    /** Returns when the server listens. */
    private void start(String... command) throws IOException {
        server = new ProcessBuilder(command)
                .redirectError(folder.resolve("errors").toFile())
                .start();
        assertThat(server.inputReader().readLine()).isEqualTo("listens");
    }

    private AllocationClient connected() {
        AllocationClient client = AllocationClient.builder()
                .socket(folder.resolve("s"))
                .recordSize(RecordSize.BYTES_112)
                .onWarning(warning -> {})
                .connect();
        assertThat(client.isConnected()).isTrue();
        return client;
    }

    private String errors() throws IOException {
        return Files.readString(folder.resolve("errors"));
    }
}
