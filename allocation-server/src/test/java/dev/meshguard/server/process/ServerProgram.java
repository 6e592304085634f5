package dev.meshguard.server.process;

import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.protocol.RecordSize;
import java.nio.file.Path;
import java.time.Duration;

/** A JVM with nothing but a server, which it prints the problems of; it exits with 70 if the server fails. */
public final class ServerProgram {

    private ServerProgram() {}

    /** Returns the command that runs it. */
    public static String[] command(Path socket, String... ofMachine) {
        return ReportingProgram.command(ServerProgram.class, ofMachine, socket.toString());
    }

    public static void main(String[] arguments) throws Exception {
        AllocationServer server = AllocationServer.builder()
                .socket(Path.of(arguments[0]))
                .recordSize(RecordSize.BYTES_112)
                .processCheckEvery(Duration.ZERO)
                .onProblem(System.err::println)
                .start();
        System.out.println("listens");
        server.awaitEnd();
        System.exit(server.failure().isPresent() ? 70 : 0);
    }
}
