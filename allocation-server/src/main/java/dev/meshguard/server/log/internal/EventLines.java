package dev.meshguard.server.log.internal;

import java.util.OptionalLong;

/** From which line each event was read. */
public final class EventLines {

    private final long[] lines;

    /** Keeps the array: nobody else may change it. */
    EventLines(long... lines) {
        this.lines = lines;
    }

    /** Returns the line of an event; empty if there is no event of that number. */
    public OptionalLong of(long event) {
        return event < 1 || event > lines.length ? OptionalLong.empty() : OptionalLong.of(lines[(int) event - 1]);
    }
}
