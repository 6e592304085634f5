package dev.meshguard.verification.corpus.matrix;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Counts the reported causes by true cause: rows are true causes, columns are reported causes. */
public final class ConfusionMatrix {

    private record Cell(String truth, String judged) {}

    private final String title;
    private final List<String> order;
    private final Map<Cell, Integer> right = new LinkedHashMap<>();
    private final Map<Cell, Integer> wrong = new LinkedHashMap<>();

    /**
     * Creates an empty matrix.
     *
     * @param title what it is of
     * @param order the rows and columns in their order; others follow, sorted
     */
    public ConfusionMatrix(String title, List<String> order) {
        this.title = title;
        this.order = List.copyOf(order);
    }

    /** Counts one. */
    public void count(String truth, String told, boolean isRight) {
        (isRight ? right : wrong).merge(new Cell(truth, told), 1, Integer::sum);
    }

    /** Returns how many were counted. */
    public int total() {
        return Stream.of(right, wrong)
                .flatMap(cells -> cells.values().stream())
                .mapToInt(Integer::intValue)
                .sum();
    }

    /** Returns how many there are in a row. */
    public int row(String truth) {
        return Stream.of(right, wrong)
                .flatMap(cells -> cells.entrySet().stream())
                .filter(cell -> cell.getKey().truth().equals(truth))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    /** Returns it as a table; a cell in which one is wrong has an exclamation mark. */
    @Override
    public String toString() {
        List<String> rows = names(true);
        List<String> columns = names(false);
        int first = rows.stream().mapToInt(String::length).max().orElse(0);
        StringBuilder text = new StringBuilder(title).append('\n');
        Map<Integer, String> letters = new TreeMap<>();
        text.append(pad("", first));
        for (int i = 0; i < columns.size(); i++) {
            letters.put(i, columns.get(i));
            text.append(String.format(Locale.ROOT, "%8s", "[" + (char) ('a' + i) + "]"));
        }
        text.append('\n');
        for (String row : rows) {
            text.append(pad(row, first));
            columns.forEach(column -> text.append(String.format(Locale.ROOT, "%8s", cell(new Cell(row, column)))));
            text.append('\n');
        }
        text.append(letters.entrySet().stream()
                .map(letter -> "[" + (char) ('a' + letter.getKey()) + "] " + letter.getValue())
                .collect(Collectors.joining("  ")));
        return text.append('\n').toString();
    }

    private String cell(Cell cell) {
        int all = right.getOrDefault(cell, 0) + wrong.getOrDefault(cell, 0);
        return all == 0 ? "." : all + (wrong.containsKey(cell) ? "!" : "");
    }

    private List<String> names(boolean ofRows) {
        TreeSet<String> known = new TreeSet<>((one, other) -> {
            int byOrder = Integer.compare(place(one), place(other));
            return byOrder != 0 ? byOrder : one.compareTo(other);
        });
        right.keySet().forEach(cell -> known.add(ofRows ? cell.truth() : cell.judged()));
        wrong.keySet().forEach(cell -> known.add(ofRows ? cell.truth() : cell.judged()));
        return List.copyOf(known);
    }

    private int place(String name) {
        int place = order.indexOf(name);
        return place < 0 ? order.size() : place;
    }

    private static String pad(String text, int width) {
        return String.format(Locale.ROOT, "%-" + Math.max(1, width) + "s", text);
    }
}
