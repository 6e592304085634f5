package dev.meshguard.junit.internal.thread;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The threads that worked for no test and the tests that ran, for a reader: the first ones, and whether there were more. */
final class ThreadNotes {

    private static final int MAX_NAMES = 3;

    private final Set<String> threads = new LinkedHashSet<>();
    private final Set<String> tests = new LinkedHashSet<>();

    synchronized void add(String thread, List<String> running) {
        add(threads, thread);
        running.forEach(test -> add(tests, test));
    }

    /** One more than is named shows that there are more. */
    private static void add(Set<String> names, String name) {
        if (names.size() <= MAX_NAMES) {
            names.add(name);
        }
    }

    /** Returns the threads and the tests; empty if there was no thread. */
    synchronized Optional<String> text() {
        if (threads.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(first(threads)
                + (tests.isEmpty() ? ", while no test ran" : ", while these tests ran: " + first(tests)));
    }

    private static String first(Set<String> names) {
        return String.join(", ", names.stream().limit(MAX_NAMES).toList())
                + (names.size() > MAX_NAMES ? " and others" : "");
    }
}
