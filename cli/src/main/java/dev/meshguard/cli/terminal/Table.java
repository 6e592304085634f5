package dev.meshguard.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Rows with aligned columns, two spaces apart. */
public final class Table {

    private final List<List<String>> rows = new ArrayList<>();

    /** Adds a row; an unknown value is a dash. */
    public Table row(Object... cells) {
        rows.add(Stream.of(cells)
                .map(cell -> JsonDocument.known(cell).map(Object::toString).orElse("-"))
                .toList());
        return this;
    }

    /** Returns the rows as lines, indented. */
    public List<String> lines() {
        return rows.stream().map(this::line).toList();
    }

    private String line(List<String> row) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < row.size(); column++) {
            line.append("  ").append(row.get(column));
            line.append(" ".repeat(width(column) - row.get(column).length()));
        }
        return line.toString().stripTrailing();
    }

    private int width(int column) {
        return rows.stream()
                .filter(row -> column < row.size())
                .mapToInt(row -> row.get(column).length())
                .max()
                .orElse(0);
    }
}
