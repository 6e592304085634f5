package dev.meshguard.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
        return of(MeshGuard.class, ofMachine, arguments);
    }

    /** Returns a process that runs another class. */
    static ProcessBuilder of(Class<?> main, List<String> ofMachine, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ofMachine);
        // As the manifest of the runnable jar says.
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath(), main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    /** For tests in a module the main classes are on the module path, and the test classes are patched into it. */
    private static String classPath() {
        Stream<@Nullable String> paths = Stream.of("jdk.module.path", "java.class.path", "surefire.test.class.path")
                .map(System::getProperty);
        return Stream.concat(
                        Stream.of(Path.of("target", "test-classes")
                                .toAbsolutePath()
                                .toString()),
                        paths)
                .filter(path -> path != null && !path.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
