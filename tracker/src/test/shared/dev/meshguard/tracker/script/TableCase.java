package dev.meshguard.tracker.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A case of a table in a text file: after {@code #} its name, then its lines, and after {@code =>} all expected facts. */
public record TableCase(String name, List<String> lines, List<String> facts) {

    private static final String FACT = "=> ";

    /** Returns the cases of the table with a name beside a test class. */
    public static Stream<TableCase> of(Class<?> tests, String table) {
        try (InputStream in = tests.getResourceAsStream(table)) {
            String[] cases = new String(in.readAllBytes(), StandardCharsets.UTF_8).split("(?m)^# ");
            return Arrays.stream(cases).skip(1).map(TableCase::of);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static TableCase of(String text) {
        List<String> all = text.stripTrailing().lines().toList();
        return new TableCase(
                all.get(0),
                all.stream().skip(1).filter(line -> !line.startsWith(FACT)).toList(),
                all.stream()
                        .filter(line -> line.startsWith(FACT))
                        .map(line -> line.substring(FACT.length()))
                        .toList());
    }

    @Override
    public String toString() {
        return name;
    }
}
