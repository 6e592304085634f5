package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.BufferType;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How {@code meshguard serve} ends as a process of its own. */
@Timeout(120)
class ServeProcessTests {

    @TempDir
    Path folder;

    @Test
    void aServerThatIsAskedToEndWritesItsLastLinesAndExitsWithZero() throws Exception {
        Path log = folder.resolve("server.log");
        Process server = started(List.of(), "--log", log.toString());
        try (AllocationClient client = connected(server)) {
            client.allocated(0, BufferType.L1, 64, 4096);
            client.query(0);

            server.destroy();

            assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.destroyForcibly();
        }
        assertThat(server.exitValue()).isZero();
        assertThat(log).content().contains("Active allocations: 1").endsWith("🛑 Allocation Server stopped\n");
        assertThat(folder.resolve("s")).doesNotExist();
        assertThat(errors()).isEmpty();
    }

    private Process started(List<String> ofMachine, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ofMachine);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath(), MeshGuard.class.getName(), "serve"));
        command.addAll(
                List.of("--record-size", "112", "--socket", folder.resolve("s").toString()));
        command.addAll(List.of(options));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(folder.resolve("errors").toFile())
                .start();
    }

    private static String classPath() {
        return Stream.of("jdk.module.path", "java.class.path", "surefire.test.class.path")
                .map(System::getProperty)
                .filter(path -> path != null && !path.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private String errors() throws IOException {
        return Files.readString(folder.resolve("errors"), StandardCharsets.UTF_8);
    }

    /** The server is started by another process: it is asked until it answers. */
    private AllocationClient connected(Process server) {
        while (true) {
            AllocationClient client = AllocationClient.builder()
                    .socket(folder.resolve("s"))
                    .recordSize(RecordSize.BYTES_112)
                    .onWarning(warning -> {})
                    .connect();
            if (client.isConnected()) {
                return client;
            }
            client.close();
            assertThat(server.isAlive()).isTrue();
            Thread.onSpinWait();
        }
    }
}
