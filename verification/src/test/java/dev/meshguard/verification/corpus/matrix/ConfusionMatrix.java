package dev.meshguard.verification.corpus.matrix;

import java.util.Map;
import java.util.TreeMap;

/** Counts the reported causes by true cause. */
public final class ConfusionMatrix {

    private final String title;
    private final Map<String, Map<String, Integer>> rows = new TreeMap<>();

    /** Creates an empty matrix. */
    public ConfusionMatrix(String title) {
        this.title = title;
    }

    /** Counts one. */
    public void count(String truth, String told, boolean isRight) {
        rows.computeIfAbsent(truth, first -> new TreeMap<>()).merge(told + (isRight ? "" : "!"), 1, Integer::sum);
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

    /** Returns a line for each true cause, with the reported ones; wrong ones have an exclamation mark. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(title).append('\n');
        rows.forEach(
                (truth, told) -> text.append(truth).append(' ').append(told).append('\n'));
        return text.toString();
    }
}
