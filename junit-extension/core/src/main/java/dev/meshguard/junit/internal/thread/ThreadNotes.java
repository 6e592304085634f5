package dev.meshguard.junit.internal.thread;

import dev.meshguard.text.Quantities;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Describes for a reader the threads that allocated memory for no test, and the tests that ran meanwhile: the first ones, and whether
 * there were more.
 */
final class ThreadNotes {

    /** With the number of tests that have begun since the thread was started, when it last worked. */
    private final Map<StartedThread, Integer> threads = new LinkedHashMap<>();

    private final FirstNames tests = new FirstNames();

    private record StartedThread(String name, String starter) {

        String description(int testsAgo) {
            return "\"" + name + "\" (started by " + starter
                    + (testsAgo == 0 ? "" : " " + Quantities.count(testsAgo, "test") + " ago") + ")";
        }
    }

    /**
     * A thread that works now.
     *
     * @param starter the test that has started it
     * @param testsAgo the number of tests that have begun since then
     * @param running the tests that run
     */
    record Note(String thread, String starter, int testsAgo, List<String> running) {

        /** Returns the moment at which it works, as a phase. */
        String phase() {
            return running.isEmpty() ? "no test" : "no test, while " + FirstNames.of(running) + " ran";
        }
    }

    synchronized void add(Note note) {
        StartedThread started = new StartedThread(note.thread, note.starter);
        if (FirstNames.hasRoom(threads.keySet()) || threads.containsKey(started)) {
            threads.put(started, note.testsAgo);
        }
        note.running.forEach(tests::add);
    }

    /** Returns the threads and the tests; empty if there was no thread. */
    synchronized Optional<String> text() {
        if (threads.isEmpty()) {
            return Optional.empty();
        }
        List<String> names = threads.entrySet().stream()
                .map(thread -> thread.getKey().description(thread.getValue()))
                .toList();
        return Optional.of(FirstNames.of(names)
                + (tests.isEmpty() ? ", while no test ran" : ", while these tests ran: " + tests.text()));
    }
}
