package dev.meshguard.history.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.internal.Journal.Kind;
import dev.meshguard.tracker.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JournalTests {

    @Test
    void returnsWhatWasAppendedOverManyChunks() {
        Seed seed = Seed.next();
        Random random = seed.random();
        Journal journal = new Journal();
        List<HistoryEvent> appended = new ArrayList<>();

        for (int i = 0; i < 50_000; i++) {
            appended.add(append(journal, i, randomEvent(random, i + 1)));
        }

        assertThat(journal.events()).describedAs(seed.toString()).isEqualTo(appended);
    }

    @Test
    void readsAllOtherEventsAfterAReportWithoutATypeWasRefused() {
        Journal journal = new Journal();
        HistoryEvent next = new HistoryEvent.RoundBegan(1, 1);

        assertThatNullPointerException()
                .isThrownBy(() -> journal.report(Kind.FREED, 1, null, 0, null, 64, 0, Ownership.OWNING));
        journal.mark(2, next);

        assertThat(journal.events()).containsExactly(next);
    }

    @Test
    void ordersReportsByTicketsThatAreFarApart() {
        Journal journal = new Journal();
        for (long ticket : new long[] {5, (1L << 32) + 1, 3}) {
            journal.report(Kind.FREED, ticket, null, (int) ticket, BufferType.L1, 64, 0, Ownership.OWNING);
        }

        assertThat(journal.events())
                .extracting(event -> ((HistoryEvent.Freed) event).device())
                .containsExactly(3, 5, 1);
    }

    private static HistoryEvent append(Journal journal, long ticket, HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated e) {
            journal.report(
                    Kind.ALLOCATED,
                    ticket,
                    orNull(e.request()),
                    e.device(),
                    e.type(),
                    e.address(),
                    e.size(),
                    e.ownership());
        } else if (event instanceof HistoryEvent.Freed e) {
            journal.report(
                    Kind.FREED, ticket, orNull(e.request()), e.device(), e.type(), e.address(), 0, e.ownership());
        } else if (event instanceof HistoryEvent.FreeIgnored e) {
            journal.report(
                    Kind.FREE_IGNORED, ticket, orNull(e.request()), e.device(), e.type(), e.address(), 0, e.reason());
        } else {
            journal.mark(ticket, event);
        }
        return event;
    }

    private static MemoryRequest orNull(MemoryRequest request) {
        return request.isAnonymous() ? null : request;
    }

    private static HistoryEvent randomEvent(Random random, long number) {
        BufferType type = any(BufferType.values(), random);
        MemoryRequest request = MemoryRequest.of(
                random.nextBoolean() ? AllocationDetails.user().labelled("any") : AllocationDetails.user());
        int device = random.nextInt(65_536);
        long address = random.nextLong();
        Ownership ownership = any(Ownership.values(), random);
        return switch (random.nextInt(4)) {
            case 0 -> new HistoryEvent.Allocated(number, request, device, type, address, random.nextLong(), ownership);
            case 1 -> new HistoryEvent.Freed(number, request, device, type, address, ownership);
            case 2 ->
                new HistoryEvent.FreeIgnored(
                        number, request, device, type, address, any(IgnoredFreeReason.values(), random));
            default -> new HistoryEvent.RoundBegan(number, random.nextInt());
        };
    }

    private static <T> T any(T[] values, Random random) {
        return values[random.nextInt(values.length)];
    }
}
