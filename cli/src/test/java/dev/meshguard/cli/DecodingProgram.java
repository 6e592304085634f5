package dev.meshguard.cli;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.util.List;

/**
 * A program that reports a buffer to the allocation server, and frees it only with the argument {@code free}. With {@code flood} it
 * allocates until the server ends, with {@code flood of processes} each buffer for another process.
 */
final class DecodingProgram {

    private static final long ADDRESS = 0x1000;

    private DecodingProgram() {}

    static String[] command(String... arguments) {
        return MeshGuardProcess.of(DecodingProgram.class, List.of(), List.of(arguments))
                .command()
                .toArray(String[]::new);
    }

    public static void main(String[] arguments) throws IOException {
        try (AllocationClient client = AllocationClient.builder().connect()) {
            client.allocated(0, BufferType.DRAM, ADDRESS, 1_048_576);
            client.allocated(0, BufferType.L1, 2 * ADDRESS, 4_096);
            client.freed(0, 2 * ADDRESS);
            if (List.of(arguments).contains("free")) {
                client.freed(0, ADDRESS);
            }
            boolean isOfProcesses = List.of(arguments).contains("flood of processes");
            if (isOfProcesses || List.of(arguments).contains("flood")) {
                for (int number = 3; client.isConnected(); number++) {
                    client.send(
                            Request.allocation(isOfProcesses ? number : 3, 0, BufferType.DRAM, number * ADDRESS, 64));
                }
            }
        }
    }
}
