package dev.meshguard.server.process;

import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.protocol.RecordSize;
import java.nio.file.Path;
import java.time.Duration;

/** A JVM with nothing but a server: it prints the first problem when there is one, and the others at the end of its input. */
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
                .start();
        System.out.println("listens");
        while (server.problems().isEmpty()) {
            server.await(connections -> false, Duration.ofMillis(10));
        }
        System.out.println(server.problems().get(0));
        System.in.read();
        server.problems().stream().skip(1).forEach(System.out::println);
    }
}
