package dev.meshguard.server.process;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.client.AllocationClient;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A program that reports to the allocation server as its arguments specify. */
public final class ReportingProgram {

    private ReportingProgram() {}

    /** Returns the command that runs it. */
    public static String[] command(String... steps) {
        return command(ReportingProgram.class, new String[0], steps);
    }

    /** Returns the command that runs a class of these tests in a JVM with some options. */
    static String[] command(Class<?> main, String[] ofMachine, String... arguments) {
        Stream<String> machine = Stream.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath());
        return Stream.of(machine, Stream.of(ofMachine), Stream.of(main.getName()), Stream.of(arguments))
                .flatMap(words -> words)
                .toArray(String[]::new);
    }

    /** For tests in a module the main classes are on the module path, and the test classes are patched into it. */
    private static String classPath() {
        return Stream.of(tests(), System.getProperty("jdk.module.path"), System.getProperty("java.class.path"))
                .filter(path -> path != null && !path.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String tests() {
        try {
            Path file = Path.of(Objects.requireNonNull(
                            ReportingProgram.class.getResource(ReportingProgram.class.getSimpleName() + ".class"))
                    .toURI());
            int levels = ReportingProgram.class.getName().split("\\.", -1).length;
            return file.getRoot()
                    .resolve(file.subpath(0, file.getNameCount() - levels))
                    .toString();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    public static void main(String[] steps) throws Exception {
        try (AllocationClient client = AllocationClient.builder().connect()) {
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
            case "crash" -> Runtime.getRuntime().halt(Integer.parseInt(words[1]));
            case "child" -> {
                // It inherits the environment, so it reports to the same server.
                Process child = new ProcessBuilder(command(words[1] + " " + words[2], "hang"))
                        .redirectErrorStream(true)
                        .start();
                child.getInputStream().read();
            }
            case "hang" -> {
                System.out.println("reported");
                Thread.sleep(Long.MAX_VALUE);
            }
            default -> throw new IllegalArgumentException(step);
        }
    }
}
