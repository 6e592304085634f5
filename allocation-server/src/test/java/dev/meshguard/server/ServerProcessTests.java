package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.process.ServerProgram;
import dev.meshguard.server.protocol.RecordSize;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server whose JVM lacks file descriptors. */
@Timeout(120)
class ServerProcessTests {

    @TempDir
    Path folder;

    private Process server;

    @AfterEach
    void end() {
        server.destroyForcibly();
    }

    /** Programs that cannot be accepted wait, and others end their connections meanwhile. */
    @Test
    void aServerWithoutFileDescriptorsGoesOnWhenItHasSomeAgain() throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -n 150 && exec \"$@\"", "sh"));
        command.addAll(List.of(ServerProgram.command(folder.resolve("s"))));
        server = new ProcessBuilder(command).start();
        BufferedReader output = server.inputReader();
        assertThat(output.readLine()).isEqualTo("listens");
        List<SocketChannel> programs = new ArrayList<>();
        new RawClient(folder.resolve("s"), RecordSize.BYTES_112).close();
        while (!output.ready()) {
            connectIfThereIsRoom(programs);
        }
        for (SocketChannel program : programs) {
            program.close();
        }

        try (RawClient client = new RawClient(folder.resolve("s"), RecordSize.BYTES_112)) {
            assertThat(client.query(0).dram()).isZero();
        }
        server.outputWriter().close();
        assertThat(output.lines())
                .containsExactly(
                        "a connection could not be accepted: Too many open files. Allow this process more open files"
                                + " (ulimit -n)");
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
}
