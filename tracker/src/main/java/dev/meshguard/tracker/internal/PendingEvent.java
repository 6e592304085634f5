package dev.meshguard.tracker.internal;

import dev.meshguard.tracker.history.HistoryEvent;
import java.util.function.LongFunction;

/**
 * An event that belongs to no single address, waiting for its number.
 *
 * @param ticket its place in the order of requests
 * @param event makes the event of a number
 */
public record PendingEvent(long ticket, LongFunction<HistoryEvent> event) {}
