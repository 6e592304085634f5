package dev.meshguard.junit.testkit;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs programs of tests in JVMs of their own, with all modules on the class path. */
public final class OwnJvm {

    private OwnJvm() {}

    /**
     * Returns the standard output of a program; its errors appear among those of the tests.
     *
     * @throws IllegalStateException if it ends with another status than 0
     */
    public static String outputOf(Class<?> program, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(options));
        command.add("-cp");
        command.add(String.join(
                File.pathSeparator,
                folderOf(program),
                System.getProperty("java.class.path"),
                System.getProperty("jdk.module.path", "")));
        command.add(program.getName());
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.onExit().join().exitValue();
        if (status != 0) {
            throw new IllegalStateException(
                    program.getName() + " ended with status " + status + ", after it had printed: " + output);
        }
        return output;
    }

    private static String folderOf(Class<?> program) {
        try {
            return Path.of(program.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
