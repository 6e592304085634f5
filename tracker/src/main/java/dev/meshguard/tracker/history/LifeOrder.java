package dev.meshguard.tracker.history;

import dev.meshguard.tracker.BufferType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Tells of lives whose events are known, between what somebody else tells in order. */
final class LifeOrder implements LifeListener {

    private record Change(long event, BufferGeneration life, boolean begins) {}

    private final List<Change> changes = new ArrayList<>();
    private final LifeListener listener;
    private int next;

    LifeOrder(List<BufferGeneration> lives, LifeListener listener) {
        this.listener = listener;
        for (BufferGeneration life : lives) {
            changes.add(new Change(life.bornAt(), life, true));
            life.diedAt().ifPresent(event -> changes.add(new Change(event, life, false)));
        }
        changes.sort(Comparator.comparingLong(Change::event));
    }

    @Override
    public void changed(long event, int device, BufferType type, long size, boolean begins) {
        tellThoseBefore(event);
        listener.changed(event, device, type, size, begins);
    }

    void finish() {
        tellThoseBefore(Long.MAX_VALUE);
    }

    private void tellThoseBefore(long event) {
        while (next < changes.size() && changes.get(next).event() < event) {
            Change change = changes.get(next++);
            BufferGeneration life = change.life();
            listener.changed(change.event(), life.device(), life.type(), life.size(), change.begins());
        }
    }
}
