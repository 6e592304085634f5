package dev.meshguard.history.internal;

import dev.meshguard.event.HistoryEvent;
import java.util.function.LongFunction;

/**
 * An event without an address that has no number yet.
 *
 * @param ticket its position in the order of requests
 * @param event creates the event with a number
 */
public record PendingEvent(long ticket, LongFunction<HistoryEvent> event) {}
