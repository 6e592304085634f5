package dev.meshguard.server;

import java.util.ArrayList;
import java.util.List;

/** The errors of a server, as whole sentences; guarded by the server's lock. */
final class ServerErrors {

    private static final int MAX_KEPT = 1000;

    private final List<String> sentences = new ArrayList<>();

    /** Adds an error, unless it repeats the previous one. */
    void add(String sentence) {
        boolean isRepeated =
                !sentences.isEmpty() && sentences.get(sentences.size() - 1).equals(sentence);
        if (!isRepeated && sentences.size() < MAX_KEPT) {
            sentences.add(sentence);
        }
    }

    List<String> all() {
        return List.copyOf(sentences);
    }
}
