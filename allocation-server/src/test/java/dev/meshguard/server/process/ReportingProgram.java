package dev.meshguard.server.process;

import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.BufferType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.slf4j.LoggerFactory;

/** A program that reports to the allocation server what its arguments tell it to. */
final class ReportingProgram {

    private ReportingProgram() {}

    /** Returns the command that runs it. */
    static String[] command(String... steps) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath(),
                ReportingProgram.class.getName()));
        command.addAll(List.of(steps));
        return command.toArray(String[]::new);
    }

    private static String classPath() {
        return String.join(
                System.getProperty("path.separator"),
                Stream.of(
                                ReportingProgram.class,
                                AllocationClient.class,
                                AllocationTracker.class,
                                LoggerFactory.class,
                                API.class)
                        .map(type -> Path.of(type.getProtectionDomain()
                                        .getCodeSource()
                                        .getLocation()
                                        .getPath())
                                .toString())
                        .distinct()
                        .toList());
    }

    public static void main(String[] steps) throws Exception {
        RecordSize size = steps[0].equals("144") ? RecordSize.BYTES_144 : RecordSize.BYTES_112;
        try (AllocationClient client =
                AllocationClient.builder().recordSize(size).connect()) {
            for (String step : steps) {
                run(step, client);
            }
        }
    }

    private static void run(String step, AllocationClient client) throws IOException, InterruptedException {
        String[] words = step.split(" ", -1);
        switch (words[0]) {
            case "allocate" -> client.allocated(0, BufferType.DRAM, Long.parseLong(words[1]), 4_096);
            case "free" -> client.freed(0, Long.parseLong(words[1]));
            case "many" -> {
                for (int number = 0; number < Integer.parseInt(words[1]); number++) {
                    client.allocated(0, BufferType.DRAM, 4_096L * number, 4_096);
                }
            }
            case "print" -> System.out.println(words[1]);
            case "exit" -> System.exit(Integer.parseInt(words[1]));
            case "crash" -> Runtime.getRuntime().halt(Integer.parseInt(words[1]));
            case "child" -> {
                // It inherits the environment, so it reports to the same server.
                Process child = new ProcessBuilder(command("112", words[1] + " " + words[2], "hang"))
                        .redirectErrorStream(true)
                        .start();
                child.getInputStream().read();
            }
            case "hang" -> {
                client.query(0);
                System.out.println("reported");
                Thread.sleep(Long.MAX_VALUE);
            }
            default -> client.query(0);
        }
    }
}
