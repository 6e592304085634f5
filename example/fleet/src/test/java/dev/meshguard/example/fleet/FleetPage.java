package dev.meshguard.example.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of the page, by the heading above them. */
final class FleetPage {

    private static final Path PAGE = Path.of("..", "..", "docs", "fleet.md");
    private static final Pattern PART = Pattern.compile("(?ms)^#+ (?<heading>.+?)$|^```sql\n(?<sql>.*?)^```$");

    /** The folder that the statements of the page name. */
    private static final String FOLDER = "'findings/*.jsonl'";

    private final Map<String, List<String>> statements = new LinkedHashMap<>();

    private FleetPage() {}

    static FleetPage read() {
        FleetPage page = new FleetPage();
        String heading = "";
        try {
            for (Matcher part = PART.matcher(Files.readString(PAGE)); part.find(); ) {
                if (part.group("heading") != null) {
                    heading = part.group("heading");
                } else {
                    page.statements.put(heading, statements(part.group("sql")));
                }
            }
            return page;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> statements(String block) {
        return Arrays.stream(block.split(";"))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }

    /** Returns the headings with statements, in their order. */
    List<String> headings() {
        return List.copyOf(statements.keySet());
    }

    /** Returns the statements below a heading, which read the files of a folder. */
    List<String> statements(String heading, Path folder) {
        List<String> below = statements.get(heading);
        if (below == null) {
            throw new IllegalArgumentException(PAGE + " has no statements below " + heading + ", but below " + headings());
        }
        return below.stream()
                .map(statement -> statement.replace(FOLDER, "'" + folder.toAbsolutePath() + "/*.jsonl'"))
                .toList();
    }

    /** Returns the only query below a heading. */
    String query(String heading) {
        List<String> below = statements(heading, Path.of(""));
        if (below.size() != 1) {
            throw new IllegalArgumentException(PAGE + " has " + below.size() + " statements below " + heading + ", not 1");
        }
        return below.get(0);
    }
}
