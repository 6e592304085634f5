package dev.meshguard.server;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The errors of a server, as whole sentences; guarded by the server's lock. */
final class ServerErrors {

    private static final int MAX_KEPT = 1000;

    private final List<String> sentences = new ArrayList<>();
    private final Consumer<String> listener;

    ServerErrors(Consumer<String> listener) {
        this.listener = listener;
    }

    /** Adds an error, unless it repeats the previous one. */
    void add(String sentence) {
        if (!sentences.isEmpty() && sentences.get(sentences.size() - 1).equals(sentence)) {
            return;
        }
        keep(sentence);
        try {
            listener.accept(sentence);
        } catch (RuntimeException e) {
            keep("the listener of problems failed: " + e);
        }
    }

    private void keep(String sentence) {
        if (sentences.size() < MAX_KEPT) {
            sentences.add(sentence);
        }
    }

    List<String> all() {
        return List.copyOf(sentences);
    }
}
