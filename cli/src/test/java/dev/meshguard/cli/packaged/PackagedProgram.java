package dev.meshguard.cli.packaged;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A way to start the packaged program: a command, its environment and the folder in which it runs. */
final class PackagedProgram {

    static final Path RUNNABLE_JAR = Path.of("target", "meshguard.jar").toAbsolutePath();
    static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));

    /** The environment variable with options of every JVM. */
    static final String OPTIONS = "JAVA_TOOL_OPTIONS";

    /** The result of a start. */
    record Answer(int status, String out, String err) {}

    private final List<String> command;
    private final Path folder;
    private final Map<String, String> environment = new TreeMap<>();

    private PackagedProgram(Path folder, List<String> command) {
        this.folder = folder;
        this.command = command;
        environment.put("JAVA_HOME", JAVA_HOME.toString());
    }

    static PackagedProgram ofCommand(Path folder, String... command) {
        return new PackagedProgram(folder, List.of(command));
    }

    /** In a JVM that starts and ends quickly; the launchers choose theirs. */
    static PackagedProgram ofJar(Path folder) {
        String java = JAVA_HOME.resolve("bin/java").toString();
        return ofCommand(folder, java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar", RUNNABLE_JAR.toString());
    }

    PackagedProgram with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** Runs the program with a file as its standard input, which is empty by default. */
    Answer run(String input, String... arguments) throws IOException, InterruptedException {
        Path in = Files.writeString(Files.createTempFile(folder, "in", ""), input);
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        int status = builder(arguments)
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start()
                .waitFor();
        return new Answer(status, Files.readString(out), withoutOptions(Files.readString(err)));
    }

    /** Leaves out the line with which a JVM confirms the options of its environment. */
    private static String withoutOptions(String err) {
        return err.startsWith("Picked up " + OPTIONS) ? err.substring(err.indexOf('\n') + 1) : err;
    }

    ProcessBuilder builder(String... arguments) {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(all).directory(folder.toFile());
        // Options of the tests' own JVM would change the output of the program.
        builder.environment().keySet().removeAll(List.of(OPTIONS, "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
        builder.environment().putAll(environment);
        return builder;
    }
}
