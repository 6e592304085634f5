package dev.meshguard.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JournalTests {

    private record Event(
            Journal.Kind kind,
            long ticket,
            BufferType type,
            int detail,
            long address,
            long size,
            MemoryRequest request) {}

    @Test
    void returnsWhatWasAppendedOverManyChunks() {
        Seed seed = Seed.next();
        Random random = seed.random();
        Journal journal = new Journal();
        List<Event> appended = new ArrayList<>();

        for (int i = 0; i < 50_000; i++) {
            appended.add(append(journal, randomEvent(random)));
        }

        assertThat(read(journal.view())).describedAs(seed.toString()).isEqualTo(appended);
    }

    @Test
    void showsAReaderTheEventsOfOneMomentOnly() {
        Journal journal = new Journal();
        Random random = new Random(1);
        List<Event> before = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            before.add(append(journal, randomEvent(random)));
        }

        Journal.View view = journal.view();
        for (int i = 0; i < 40; i++) {
            append(journal, randomEvent(random));
        }

        assertThat(read(view)).isEqualTo(before);
    }

    @Test
    void hasNothingToReadBeforeTheFirstEvent() {
        assertThat(new Journal().view().next()).isFalse();
    }

    @Test
    void distinguishesEveryKindTypeAndDetail() {
        Journal journal = new Journal();
        List<Event> appended = new ArrayList<>();
        for (Journal.Kind kind : Journal.Kind.values()) {
            for (BufferType type : BufferType.values()) {
                for (int detail = 0; detail < 3; detail++) {
                    appended.add(append(
                            journal,
                            new Event(kind, (1L << 55) - 1, type, detail, Long.MIN_VALUE, Long.MAX_VALUE, null)));
                }
            }
        }

        assertThat(read(journal.view())).isEqualTo(appended);
    }

    private static Event append(Journal journal, Event event) {
        journal.append(
                event.kind(),
                event.ticket(),
                event.type(),
                event.detail(),
                event.address(),
                event.size(),
                event.request());
        return event;
    }

    private static Event randomEvent(Random random) {
        BufferType[] types = BufferType.values();
        return new Event(
                Journal.Kind.values()[random.nextInt(3)],
                random.nextLong() >>> 9,
                types[random.nextInt(types.length)],
                random.nextInt(3),
                random.nextLong(),
                random.nextLong() >>> 1,
                random.nextBoolean() ? MemoryRequest.of(AllocationDetails.user().labelled("any")) : null);
    }

    private static List<Event> read(Journal.View view) {
        List<Event> events = new ArrayList<>();
        while (view.next()) {
            int detail = view.kind() == Journal.Kind.FREE_IGNORED
                    ? List.of(IgnoredFreeReason.values()).indexOf(view.reason())
                    : List.of(Ownership.values()).indexOf(view.ownership());
            events.add(new Event(
                    view.kind(), view.ticket(), view.type(), detail, view.address(), view.size(), view.request()));
        }
        return events;
    }
}
