package dev.meshguard.capture.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.LogEvents;

/** Adds the rounds of a recording to its events: each lasts from one marked operation to the next. */
final class OperationRounds {

    private final LogEvents events;
    private final ReadingCriteria criteria;
    private int round;

    OperationRounds(LogEvents events, ReadingCriteria criteria) {
        this.events = events;
        this.criteria = criteria;
    }

    /** Begins a round if the operation, an outermost one, is marked. */
    void operationBegan(String name) {
        if (criteria.beginsRound(name)) {
            end();
            round++;
            events.add(new HistoryEvent.RoundBegan(events.nextNumber(), round));
        }
    }

    /** Ends the last round, if there is one. */
    void end() {
        if (round > 0) {
            events.add(new HistoryEvent.RoundEnded(events.nextNumber(), round));
        }
    }
}
