package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.ExitStatus;
import java.util.ArrayList;
import java.util.List;

/** The terminal output about the memory of one moment: a headline, the verdict, a table, and notes. */
final class MomentText {

    /** The text for an unknown value. */
    static final String NOTHING = "-";

    private static final int MAX_COLUMNS = 120;
    private static final String INDENT = " ".repeat("note   ".length());

    private final List<String> lines = new ArrayList<>();

    MomentText(String headline, ExitStatus status, String allocated, List<String> table) {
        lines.add(headline);
        lines.add("");
        lines.add(
                switch (status) {
                    case LEAKED -> "LEAK  " + allocated;
                    case CLEAN -> "CLEAN  nothing was allocated";
                    default -> "INCONCLUSIVE  " + allocated;
                });
        lines.add("");
        lines.addAll(table);
        lines.add("");
    }

    List<String> lines() {
        return lines;
    }

    /** Adds a note, no wider than the text of a verdict. */
    void note(String text) {
        StringBuilder line = new StringBuilder("note   ");
        for (String word : text.split(" ", -1)) {
            if (line.length() + 1 + word.length() > MAX_COLUMNS) {
                lines.add(line.toString());
                line = new StringBuilder(INDENT);
            }
            line.append(' ').append(word);
        }
        lines.add(line.toString());
    }
}
