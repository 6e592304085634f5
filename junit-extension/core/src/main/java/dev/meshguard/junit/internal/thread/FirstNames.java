package dev.meshguard.junit.internal.thread;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Names for a reader: the first ones, and whether there are more.
 *
 * <p>Safe for use by several threads.
 */
public final class FirstNames {

    private static final int MAX_NAMES = 3;

    private final Set<String> names = new LinkedHashSet<>();

    /** Adds a name. */
    public synchronized void add(String name) {
        if (hasRoom(names)) {
            names.add(name);
        }
    }

    /** One more than is named shows that there are more. */
    static boolean hasRoom(Set<?> names) {
        return names.size() <= MAX_NAMES;
    }

    /** Returns whether there is no name. */
    public synchronized boolean isEmpty() {
        return names.isEmpty();
    }

    /** Returns the first names. */
    public synchronized String text() {
        return of(names);
    }

    /** Returns the first of these names. */
    static String of(Collection<String> names) {
        return String.join(", ", names.stream().limit(MAX_NAMES).toList())
                + (names.size() > MAX_NAMES ? " and others" : "");
    }
}
