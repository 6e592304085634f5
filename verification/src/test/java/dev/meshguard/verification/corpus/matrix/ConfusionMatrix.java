package dev.meshguard.verification.corpus.matrix;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts the reported causes by true cause. */
public final class ConfusionMatrix {

    private final String title;
    /** The counts by true cause, and by the text of a reported one, a format with the place of its count. */
    private final Map<String, Map<String, Integer>> rows = new TreeMap<>();

    /** Creates an empty matrix. */
    public ConfusionMatrix(String title) {
        this.title = title;
    }

    /** Counts one. */
    public void count(String truth, String told, boolean isRight) {
        rows.computeIfAbsent(truth, first -> new TreeMap<>()).merge(told + (isRight ? " %d" : " %d!"), 1, Integer::sum);
    }

    /** Returns how many were counted. */
    public int total() {
        return rows.keySet().stream().mapToInt(this::row).sum();
    }

    /** Returns how many there are of a true cause. */
    public int row(String truth) {
        return rows.getOrDefault(truth, Map.of()).values().stream()
                .mapToInt(Integer::intValue)
                .sum();
    }

    /** Returns a line for each true cause, with the reported ones; the count of wrong ones has an exclamation mark. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(title).append('\n');
        rows.forEach((truth, told) -> text.append(told.entrySet().stream()
                .map(entry -> entry.getKey().formatted(entry.getValue()))
                .collect(Collectors.joining(", ", truth + " {", "}\n"))));
        return text.toString();
    }
}
