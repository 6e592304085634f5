package dev.meshguard.junit.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The source files of a module, found by package and name in folders such as {@code src/test/java}.
 *
 * @param module the folder of the module
 * @param workspace the folder to which the returned paths are relative
 */
record SourceFiles(Path module, Path workspace) {

    /**
     * Returns those of a module.
     *
     * @param workspace the folder of the repository, if it is known; ignored unless the module is in it
     */
    static SourceFiles of(Path module, Optional<String> workspace) {
        Path absolute = module.toAbsolutePath().normalize();
        try {
            return new SourceFiles(
                    absolute,
                    workspace
                            .map(folder -> Path.of(folder).toAbsolutePath().normalize())
                            .filter(absolute::startsWith)
                            .orElse(absolute));
        } catch (InvalidPathException noPath) {
            return new SourceFiles(absolute, absolute);
        }
    }

    /** Returns the path of the file of a line, with slashes, if there is one. */
    Optional<String> pathOf(StackTraceElement line) {
        String file = line.getFileName();
        if (file == null) {
            return Optional.empty();
        }
        String type = line.getClassName();
        String folder = type.substring(0, type.lastIndexOf('.') + 1).replace('.', '/');
        try {
            return roots().stream()
                    .map(root -> root.resolve(folder + file))
                    .filter(Files::isRegularFile)
                    .findFirst()
                    .map(found -> workspace.relativize(found).toString().replace('\\', '/'));
        } catch (IOException | UncheckedIOException | InvalidPathException notFound) {
            return Optional.empty();
        }
    }

    /** Returns all folders like {@code src/test/java}: a set of sources, and a language. */
    private List<Path> roots() throws IOException {
        Path sources = module.resolve("src");
        if (!Files.isDirectory(sources)) {
            return List.of();
        }
        try (Stream<Path> folders = Files.find(sources, 2, (path, file) -> file.isDirectory())) {
            return folders.filter(folder -> sources.relativize(folder).getNameCount() == 2)
                    .sorted()
                    .toList();
        }
    }
}
