package dev.meshguard.example.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The statements of the files in {@code queries}. */
final class QueryFiles {

    private static final Path QUERIES = Path.of("queries");
    private static final Pattern COMMENT = Pattern.compile("(?m)^--.*\n");

    /** The folder that the statements name. */
    private static final String FOLDER = "'findings/*.jsonl'";

    private QueryFiles() {}

    static Set<String> names() {
        try (Stream<Path> files = Files.list(QUERIES)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the statements of a file, which read the files of a folder. */
    static List<String> statements(String name, Path folder) {
        return Arrays.stream(text(name).split(";", -1))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .map(statement -> statement.replace(FOLDER, "'" + folder.toAbsolutePath() + "/*.jsonl'"))
                .toList();
    }

    /** Returns the only statement of a file. */
    static String query(String name) {
        List<String> statements = statements(name, Path.of(""));
        if (statements.size() != 1) {
            throw new IllegalArgumentException(name + " has " + statements.size() + " statements, not 1");
        }
        return statements.get(0);
    }

    private static String text(String name) {
        try {
            return COMMENT.matcher(Files.readString(QUERIES.resolve(name))).replaceAll("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
