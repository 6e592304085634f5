package dev.meshguard.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The program in a JVM of its own. */
final class MeshGuardProcess {

    private MeshGuardProcess() {}

    /**
     * Returns a process to start.
     *
     * @param ofMachine options of the JVM
     * @param arguments the arguments of the program
     */
    static ProcessBuilder of(List<String> ofMachine, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ofMachine);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath(), MeshGuard.class.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    private static String classPath() {
        return Stream.of("jdk.module.path", "java.class.path", "surefire.test.class.path")
                .map(System::getProperty)
                .filter(path -> path != null && !path.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
