package dev.meshguard.cli;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.client.AllocationClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A program that reports a buffer to the allocation server, and frees it only with the argument {@code free}. It
 * writes the call stack to the file that its first argument names, if that is switched on.
 */
final class DecodingProgram {

    private static final long ADDRESS = 0x1000;

    /** The block of the client with stack traces. */
    private static final String BLOCK = """
            ────────────────────────────────────────
            Allocation #1
            Time: 12:34:56
            Device: 0
            Type: DRAM
            Size: 1048576 bytes
            Address: 0x1000
            Stack trace:
              File "/home/user/decode.py", line 41, in load
            """;

    private DecodingProgram() {}

    static String[] command(String... arguments) {
        return MeshGuardProcess.of(DecodingProgram.class, List.of(), List.of(arguments))
                .command()
                .toArray(String[]::new);
    }

    public static void main(String[] arguments) throws IOException {
        if ("1".equals(System.getenv("TT_ALLOC_STACK_TRACE"))) {
            Files.writeString(Path.of(arguments[0]), BLOCK);
        }
        try (AllocationClient client = AllocationClient.builder().connect()) {
            client.allocated(0, BufferType.DRAM, ADDRESS, 1_048_576);
            client.allocated(0, BufferType.L1, 2 * ADDRESS, 4_096);
            client.freed(0, 2 * ADDRESS);
            if (List.of(arguments).contains("free")) {
                client.freed(0, ADDRESS);
            }
        }
    }
}
