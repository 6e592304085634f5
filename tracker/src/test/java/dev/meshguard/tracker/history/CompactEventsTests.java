package dev.meshguard.tracker.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Phase;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A history that passes over what is quiet says what the same events say looked at one by one; rerun a seed with {@code -Dmeshguard.seed=…}. */
class CompactEventsTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_120);
    private static final int HISTORIES = 1_000 + Integer.getInteger("meshguard.operations", 0) / 1_000;
    private static final LocalDate DAY = LocalDate.of(2026, 11, 20);
    private static final BufferType[] TYPES = {BufferType.DRAM, BufferType.L1, BufferType.L1_SMALL};

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void saysWhatTheEventsSayOneByOne(boolean withBreaks) {
        Random random = new Random(SEED);
        for (int run = 0; run < HISTORIES; run++) {
            AllocationHistory compact = AllocationHistory.read(randomEvents(random, withBreaks));
            List<String> told = told(compact);
            List<HistoryEvent> events = compact.events();
            AllocationHistory plain = AllocationHistory.restored(events, DeviceSums.countedFrom(events), false, true);

            List<String> toldPlainly = told(plain);
            assertThat(told).as("seed %d, run %d", SEED, run).hasSameSizeAs(toldPlainly);
            for (int i = 0; i < told.size(); i++) {
                assertThat(told.get(i)).as("seed %d, run %d", SEED, run).isEqualTo(toldPlainly.get(i));
            }
        }
    }

    @Test
    void passesOverWhatWasGivenBackAndTellsItsSums() {
        CompactEvents events = new CompactEvents();
        int quiet = events.place(0, BufferType.DRAM, 4096, CompactEvents.NO_PLACE);
        int left = events.place(0, BufferType.DRAM, 8192, CompactEvents.NO_PLACE);
        events.allocated(quiet, 2048, 7);
        events.freed(quiet, 7);
        events.allocated(left, 1024, 7);

        AllocationHistory history = AllocationHistory.read(events);

        assertThat(history.quiet().buffers(BufferType.DRAM)).isEqualTo(1);
        assertThat(history.quiet().bytes(BufferType.DRAM)).isEqualTo(2048);
        assertThat(history.notable()).hasToString("[DRAM 0x2000 (8192) on device 0, generation 1]");
        assertThat(history.notableEvents())
                .hasToString("[#3 allocated DRAM 0x2000 (8192) on device 0, 1 KiB (1024 B)]");
        assertThat(history.generations()).hasSize(2).contains(history.live().get(0));
    }

    @Test
    void looksAtOneLifeOfAPlaceAndPassesOverTheOthers() {
        CompactEvents events = new CompactEvents();
        int place = events.place(0, BufferType.DRAM, 4096, CompactEvents.NO_PLACE);
        for (int life = 0; life < 3; life++) {
            events.allocated(place, 1024, 7);
            events.freed(place, 7);
        }
        events.freed(place, 7);
        events.allocated(place, 2048, 7);
        events.freed(place, 7);

        AllocationHistory history = AllocationHistory.read(events);

        assertThat(history.notable()).hasToString("[DRAM 0x1000 (4096) on device 0, generation 3]");
        assertThat(history.quiet().buffers(BufferType.DRAM)).isEqualTo(3);
        assertThat(history.quiet().bytes(BufferType.DRAM)).isEqualTo(4096);
        assertThat(history.anomalies()).extracting(Anomaly::kind).containsExactly(Anomaly.Kind.DOUBLE_FREE);
        assertThat(history.generations())
                .extracting(BufferGeneration::generation)
                .containsExactly(1, 2, 3, 4);
    }

    @Test
    void tellsOfADeviceThatWasOpenedTwiceThoughEverythingWasGivenBack() {
        CompactEvents events = new CompactEvents();
        int place = events.place(1, BufferType.L1, 4096, CompactEvents.NO_PLACE);
        events.add(new HistoryEvent.DeviceOpened(1, 0));
        events.allocated(place, 1024, 7);
        events.freed(place, 7);
        events.add(new HistoryEvent.DeviceOpened(4, 0));

        assertThat(AllocationHistory.read(events).openedWhileOpen()).hasToString("[DeviceOpened[number=4, device=0]]");
    }

    @Test
    void hasOneObjectForEachEvent() {
        CompactEvents events = new CompactEvents();
        int place = events.place(0, BufferType.L1, 4096, CompactEvents.NO_PLACE);
        events.allocated(place, 64, CompactEvents.NO_PROCESS);
        events.freed(place, CompactEvents.NO_PROCESS);
        AllocationHistory history = AllocationHistory.read(events);
        HistoryEvent.Allocated allocated =
                (HistoryEvent.Allocated) history.events().get(0);

        assertThat(history.generations().get(0).request()).isSameAs(allocated.request());
        assertThat(history.buffersOf(allocated.request())).isEqualTo(history.generations());
    }

    @Test
    void numbersEventsByTheirPlace() {
        CompactEvents events = new CompactEvents();

        assertThatThrownBy(() -> events.add(new HistoryEvent.SourceAttached(2, "log")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Event #2 would be the one of number 1");
    }

    private static CompactEvents randomEvents(Random random, boolean withBreaks) {
        CompactEvents events = new CompactEvents();
        int places = 1 + random.nextInt(12);
        int[] open = new int[places];
        for (int place = 0; place < places; place++) {
            boolean isNeighbour = place > 0 && random.nextInt(4) == 0;
            events.place(
                    isNeighbour ? events.device(place - 1) : random.nextInt(2),
                    isNeighbour
                            ? TYPES[(events.type(place - 1).ordinal() + 1) % 2]
                            : TYPES[random.nextInt(TYPES.length)],
                    isNeighbour ? 4096L * (place - 1) : 4096L * place,
                    isNeighbour ? place - 1 : CompactEvents.NO_PLACE);
        }
        int steps = random.nextInt(80);
        for (int step = 0; step < steps; step++) {
            int place = random.nextInt(places);
            long process = random.nextInt(3) == 0 ? CompactEvents.NO_PROCESS : random.nextInt(3);
            boolean isStray = random.nextInt(40) == 0;
            if (withBreaks && random.nextInt(12) == 0) {
                addBreak(events, random);
            } else if (random.nextInt(60) == 0) {
                events.freeIgnored(place, process);
            } else if (open[place] > 0 && random.nextInt(3) > 0) {
                events.freed(place, process);
                open[place]--;
            } else if (isStray) {
                events.freed(place, process);
                open[place] = Math.max(0, open[place] - 1);
            } else {
                events.allocated(place, random.nextInt(10) == 0 ? 2048 : 1024, process);
                open[place]++;
            }
        }
        if (random.nextInt(3) > 0) {
            for (int place = 0; place < places; place++) {
                while (open[place]-- > 0) {
                    events.freed(place, 1);
                }
            }
        }
        if (random.nextBoolean()) {
            events.add(new HistoryEvent.Checked(events.nextNumber(), DAY));
        }
        return events;
    }

    private static void addBreak(CompactEvents events, Random random) {
        long number = events.nextNumber();
        int device = random.nextInt(2);
        switch (random.nextInt(9)) {
            case 0 -> events.add(new HistoryEvent.DeviceOpened(number, device));
            case 1 -> events.add(new HistoryEvent.DeviceClosed(number, device));
            case 2 -> events.add(new HistoryEvent.ProcessDied(number, random.nextInt(3)));
            case 3 -> events.add(new HistoryEvent.TrackingStopped(number, "the server was stopped"));
            case 4 -> events.add(new HistoryEvent.TrackingStarted(number));
            case 5 -> events.add(new HistoryEvent.Checked(number, DAY));
            case 6 -> events.add(new HistoryEvent.ReportsLost(number, 1, "a line is cut"));
            case 7 -> events.add(new HistoryEvent.SourceAttached(number, "log"));
            default ->
                events.add(new HistoryEvent.PhaseBegan(number, Instant.EPOCH, new Phase("P" + random.nextInt(3))));
        }
    }

    /** All that a history and its verdict say. */
    private static List<String> told(AllocationHistory history) {
        List<String> told = new ArrayList<>();
        LeakVerdict verdict = LeakCheck.create().examine(history);
        AllocationHistory known = history.asOfCheck();
        told.add(verdict.toString());
        told.add(verdict.outcome() + " " + verdict.sum() + " " + verdict.totals() + " " + verdict.doubts());
        told.add(verdict.stretches().toString());
        told.add(verdict.survivors().toString());
        told.add(verdict.survivors().stream()
                .map(survivor -> survivor.diagnosis().evidence())
                .toList()
                .toString());
        told.add(verdict.groups().stream()
                .map(group -> group.survivors() + " " + group.context())
                .toList()
                .toString());
        told.add(verdict.anomalies().toString());
        for (AllocationHistory one : List.of(history, known)) {
            told.add(one.sums().toString());
            told.add(one.events().size() + " " + one.live() + one.anomalies() + one.lostReports() + one.gaps());
            told.add(one.generations().toString());
            told.add(one.lifeSums().stretches().toString());
            for (HistoryEvent event : one.events()) {
                if (event instanceof HistoryEvent.Allocated report) {
                    told.add(one.buffersOf(report.request()).toString());
                }
            }
            told.add(one.generations().stream()
                    .map(life -> life.bornAt() + " " + life.bornIn() + " " + life.deviceLife() + " " + life.diedAt()
                            + " " + life.referenceCounts().size())
                    .toList()
                    .toString());
            one.eachLife((event, device, type, size, begins) ->
                    told.add(event + " " + device + " " + type + " " + size + " " + begins));
        }
        return told;
    }
}
