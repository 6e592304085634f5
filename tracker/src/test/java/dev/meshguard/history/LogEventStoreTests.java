package dev.meshguard.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The history of a log equals that of the same events as objects; rerun a seed with {@code -Dmeshguard.seed=…}. */
class LogEventStoreTests {

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
            List<String> told = reported(compact);
            List<HistoryEvent> events = compact.events();
            AllocationHistory plain = AllocationHistory.of(events, DeviceSums.countedFrom(events), false);

            List<String> toldPlainly = reported(plain);
            assertThat(told).as("seed %d, run %d", SEED, run).hasSameSizeAs(toldPlainly);
            for (int i = 0; i < told.size(); i++) {
                assertThat(told.get(i)).as("seed %d, run %d", SEED, run).isEqualTo(toldPlainly.get(i));
            }
        }
    }

    @Test
    void addsUpWhatWasFreed() {
        LogEvents events = new LogEvents();
        int freed = events.index(0, BufferType.DRAM, 4096, LogEvents.NO_INDEX);
        int left = events.index(0, BufferType.DRAM, 8192, LogEvents.NO_INDEX);
        events.allocated(freed, 2048, 7);
        events.freed(freed, 7);
        events.allocated(left, 1024, 7);

        AllocationHistory history = AllocationHistory.read(events);

        assertThat(history.timeline().curve(memory -> true).between(0, 4))
                .isEqualTo(new Timeline.Section(3072, 2, 2048, 1024, 1, 2048));
        assertThat(history.live()).hasToString("[DRAM 0x2000 (8192) on device 0, generation 1]");
        assertThat(history.events()).hasSize(3);
        assertThat(history.generations()).hasSize(2).contains(history.live().get(0));
    }

    @Test
    void countsTheGenerationOfAReportThatIsAnObjectOnce() {
        LogEvents events = new LogEvents();
        MemoryRequest request = MemoryRequest.restored(AllocationDetails.user(), Optional.empty());
        events.add(new HistoryEvent.Allocated(1, request, 0, BufferType.L1, 4096, 2048, Ownership.OWNING));

        assertThat(AllocationHistory.read(events).generations()).hasSize(1);
    }

    @Test
    void keepsTheDetailsTheOriginAndTheOwnershipOfReports() {
        AllocationDetails details = AllocationDetails.user().labelled("weights");
        Origin origin = new Origin(List.of(new StackTraceElement("model", "forward", "model.py", 57)));
        LogEvents events = new LogEvents(Ownership.OWNING);
        events.allocated(events.index(0, BufferType.L1, 4096, LogEvents.NO_INDEX), 2048, details, Optional.of(origin));

        HistoryEvent.Allocated report = AllocationHistory.read(events)
                .events(HistoryEvent.Allocated.class)
                .get(0);

        assertThat(report.request().details()).isEqualTo(details);
        assertThat(report.request().origin()).contains(origin);
        assertThat(report.ownership()).isEqualTo(Ownership.OWNING);
    }

    @Test
    void numbersTheGenerationsOfAnAddressWithAStrayFree() {
        LogEvents events = new LogEvents();
        int place = events.index(0, BufferType.DRAM, 4096, LogEvents.NO_INDEX);
        for (int life = 0; life < 3; life++) {
            events.allocated(place, 1024, 7);
            events.freed(place, 7);
        }
        events.freed(place, 7);
        events.allocated(place, 2048, 7);
        events.freed(place, 7);

        AllocationHistory history = AllocationHistory.read(events);

        assertThat(history.timeline().allocatedBuffers()).isEqualTo(4);
        assertThat(history.anomalies()).singleElement().satisfies(anomaly -> {
            assertThat(anomaly.kind()).isEqualTo(Anomaly.Kind.DOUBLE_FREE);
            assertThat(anomaly.generation()).contains(history.generations().get(2));
        });
        assertThat(history.generations())
                .extracting(BufferGeneration::generation)
                .containsExactly(1, 2, 3, 4);
    }

    @Test
    void reportsADeviceThatWasOpenedTwiceThoughEverythingWasFreed() {
        LogEvents events = new LogEvents();
        int place = events.index(1, BufferType.L1, 4096, LogEvents.NO_INDEX);
        events.add(new HistoryEvent.DeviceOpened(1, 0));
        events.allocated(place, 1024, 7);
        events.freed(place, 7);
        events.add(new HistoryEvent.DeviceOpened(4, 0));

        assertThat(AllocationHistory.read(events).openedWhileOpen()).hasToString("[DeviceOpened[number=4, device=0]]");
    }

    @Test
    void hasOneObjectForEachEvent() {
        LogEvents events = new LogEvents();
        int place = events.index(0, BufferType.L1, 4096, LogEvents.NO_INDEX);
        events.allocated(place, 64, LogEvents.NO_PROCESS);
        events.freed(place, LogEvents.NO_PROCESS);
        AllocationHistory history = AllocationHistory.read(events);
        HistoryEvent.Allocated allocated =
                (HistoryEvent.Allocated) history.events().get(0);

        assertThat(history.generations().get(0).request()).isSameAs(allocated.request());
        assertThat(history.buffersOf(allocated.request())).isEqualTo(history.generations());
    }

    @Test
    void numbersEventsByTheirPlace() {
        LogEvents events = new LogEvents();

        assertThatThrownBy(() -> events.add(new HistoryEvent.SourceAttached(2, SourceDescription.of("log"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Event #2 would be the one of number 1");
    }

    private static LogEvents randomEvents(Random random, boolean withBreaks) {
        LogEvents events = new LogEvents();
        int places = 1 + random.nextInt(12);
        int[] open = new int[places];
        for (int place = 0; place < places; place++) {
            boolean isNeighbour = place > 0 && random.nextInt(4) == 0;
            events.index(
                    isNeighbour ? events.device(place - 1) : random.nextInt(2),
                    isNeighbour
                            ? TYPES[(events.type(place - 1).ordinal() + 1) % 2]
                            : TYPES[random.nextInt(TYPES.length)],
                    isNeighbour ? 4096L * (place - 1) : 4096L * place,
                    isNeighbour ? place - 1 : LogEvents.NO_INDEX);
        }
        int steps = random.nextInt(80);
        for (int step = 0; step < steps; step++) {
            int place = random.nextInt(places);
            long process = random.nextInt(3) == 0 ? LogEvents.NO_PROCESS : random.nextInt(3);
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

    private static void addBreak(LogEvents events, Random random) {
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
            case 7 -> events.add(new HistoryEvent.SourceAttached(number, SourceDescription.of("log")));
            default ->
                events.add(new HistoryEvent.PhaseBegan(number, Instant.EPOCH, new Phase("P" + random.nextInt(3))));
        }
    }

    /** All data of a history and its verdict. */
    private static List<String> reported(AllocationHistory history) {
        List<String> told = new ArrayList<>();
        LeakVerdict verdict = LeakCheck.create().examine(history);
        AllocationHistory known = history.asOfCheck();
        told.add(verdict.toString());
        told.add(verdict.outcome() + " " + verdict.sum() + " " + verdict.totals() + " "
                + verdict.inconclusiveReasonTexts());
        told.add(verdict.phaseUsages().toString());
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
            for (HistoryEvent event : one.events()) {
                if (event instanceof HistoryEvent.Allocated report) {
                    told.add(one.buffersOf(report.request()).toString());
                }
            }
            told.add(one.generations().stream()
                    .map(life -> life.allocatedAt() + " " + life.allocatedIn() + " " + life.openPeriod() + " "
                            + life.freedAt() + " " + life.referenceCounts().size())
                    .toList()
                    .toString());
            one.timeline().curvesBy(memory -> memory).forEach((memory, curve) -> {
                for (int step = 0; step < curve.steps(); step++) {
                    told.add(memory + " " + curve.event(step) + " " + curve.buffers(step) + " " + curve.bytes(step));
                }
            });
            told.add(one.liveAtCheck() + " " + one.freedAfterClose() + " " + one.hasSource());
            one.gaps().forEach(gap -> told.add(one.liveAt(gap).toString()));
            told.add(one.events(HistoryEvent.FreeIgnored.class).toString());
            told.add(one.events(HistoryEvent.Checked.class).toString());
            told.add(one.generationsWith(details -> details.processId().equals(OptionalLong.of(1)))
                    .toString());
            told.add(one.generationsWith(details -> details.owner().isPresent()).toString());
        }
        return told;
    }
}
