package dev.meshguard.cli;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath(main), main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    /** For tests in a module the main classes are on the module path, and the test classes are patched into it. */
    private static String classPath(Class<?> main) {
        Stream<@Nullable String> paths = Stream.of("jdk.module.path", "java.class.path", "surefire.test.class.path")
                .map(System::getProperty);
        return Stream.concat(Stream.of(folderOf(main)), paths)
                .filter(path -> path != null && !path.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String folderOf(Class<?> main) {
        try {
            Path file = Path.of(Objects.requireNonNull(main.getResource(main.getSimpleName() + ".class"))
                    .toURI());
            int levels = main.getName().split("\\.", -1).length;
            return file.getRoot()
                    .resolve(file.subpath(0, file.getNameCount() - levels))
                    .toString();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
