package dev.meshguard.junit.mesh;

import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The text of a completed matrix: a row for each plan, and the first line of each failure.
 *
 * @param test the name of the test
 * @param cells the cells, row by row, all rows of the same length
 */
record MatrixGrid(String test, List<MatrixCell> cells) {

    private static final String GAP = "  ";
    private static final String FAILED = "!";

    MatrixGrid {
        cells = List.copyOf(cells);
    }

    /** Returns the text, without a line break at the end. */
    String text() {
        List<MatrixCell> failed = cells.stream()
                .filter(cell -> cell.watcher().failure().isPresent())
                .toList();
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "Fault matrix of %s: %s",
                test,
                failed.isEmpty()
                        ? Quantities.count(cells.size(), "cell") + ", none failed"
                        : failed.size() + " of " + Quantities.count(cells.size(), "cell") + " failed (" + FAILED
                                + ")"));
        lines.addAll(rows());
        failed.forEach(cell -> lines.add(FAILED + " " + cell.getDisplayName(0) + ": " + firstLine(cell)));
        return PrintableText.lines(lines);
    }

    private List<String> rows() {
        List<List<String>> table = new ArrayList<>();
        Map<String, List<String>> rows = new LinkedHashMap<>();
        List<String> head = new ArrayList<>(List.of(""));
        for (MatrixCell cell : cells) {
            rows.computeIfAbsent(cell.row(), name -> new ArrayList<>(List.of(name)))
                    .add(word(cell));
            if (rows.size() == 1) {
                head.add(cell.column());
            }
        }
        table.add(head);
        table.addAll(rows.values());
        int[] widths = new int[head.size()];
        table.forEach(row -> {
            for (int column = 0; column < row.size(); column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        });
        return table.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int... widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < row.size(); column++) {
            String text = row.get(column);
            line.append(text).append(" ".repeat(widths[column] - text.length())).append(GAP);
        }
        return line.toString().stripTrailing();
    }

    private static String word(MatrixCell cell) {
        if (cell.watcher().wasAborted()) {
            return "aborted";
        }
        if (!cell.watcher().hasSucceeded() && cell.watcher().failure().isEmpty()) {
            return "not run";
        }
        String outcome = cell.outcome().map(Outcome::name).orElse("nothing tracked");
        return cell.watcher().failure().isPresent() ? outcome + " " + FAILED : outcome;
    }

    private static String firstLine(MatrixCell cell) {
        Throwable failure = cell.watcher().failure().orElseThrow();
        String text = failure instanceof AssertionError ? String.valueOf(failure.getMessage()) : failure.toString();
        return text.strip().lines().findFirst().orElseGet(failure::toString);
    }
}
