package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.PhaseUsage;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Writes the background of all diagrams over events: phases, marks, and wall-clock time if it is known. */
final class DiagramBackground {

    private static final int MAX_PHASES = 500;
    private static final int MAX_MARKS = 1_000;
    private static final int MAX_TIMES = 2_000;

    private static final Set<Phase> CLEAN_UP = Set.of(Phase.TEARDOWN, Phase.CACHE_CLEAR, Phase.CLOSE);

    private record Band(String name, long from, long to, long peakBytes, long liveBytes) {}

    private record Mark(long event, String name, String kind) {}

    private record Time(long event, Instant at) {}

    private final AllocationHistory history;
    private final List<PhaseUsage> phaseUsages;
    private final long end;
    private final List<Mark> marks = new ArrayList<>();
    private final List<Time> times = new ArrayList<>();

    DiagramBackground(LeakVerdict verdict, long end) {
        this.history = verdict.history();
        this.phaseUsages = verdict.phaseUsages();
        this.end = end;
        for (HistoryEvent event : history.events()) {
            mark(event);
            time(event);
        }
    }

    private void mark(HistoryEvent event) {
        if (event instanceof HistoryEvent.PhaseBegan began && CLEAN_UP.contains(began.phase())) {
            marks.add(new Mark(event.number(), began.phase().name(), "TEARDOWN"));
        } else if (event instanceof HistoryEvent.MeshClosing closing) {
            marks.add(new Mark(event.number(), "mesh " + closing.mesh() + " closing", "TEARDOWN"));
        } else if (event instanceof HistoryEvent.MeshClosed closed) {
            marks.add(new Mark(event.number(), "mesh " + closed.mesh() + " closed", "TEARDOWN"));
        } else if (event instanceof HistoryEvent.RoundBegan round) {
            marks.add(new Mark(event.number(), "round " + round.round(), "ROUND"));
        } else if (event instanceof HistoryEvent.Checked) {
            marks.add(new Mark(event.number(), "check", "CHECK"));
        }
    }

    /** A clock that is set back would let time run backwards, so a time before another one does not count. */
    private void time(HistoryEvent event) {
        Instant at = Instant.EPOCH;
        if (event instanceof HistoryEvent.PhaseBegan began) {
            at = began.at();
        } else if (event instanceof HistoryEvent.MeshOpened opened) {
            at = opened.at();
        } else if (event instanceof HistoryEvent.MeshClosing closing) {
            at = closing.at();
        } else if (event instanceof HistoryEvent.MeshClosed closed) {
            at = closed.at();
        }
        boolean isKnown = !at.equals(Instant.EPOCH);
        if (isKnown
                && (times.isEmpty() || !at.isBefore(times.get(times.size() - 1).at()))) {
            times.add(new Time(event.number(), at));
        }
    }

    void write(JsonGenerator json, TruncationInfo shown) throws IOException {
        List<Band> all = bands();
        List<Band> fewer = thinned(all, MAX_PHASES);
        JsonParts.objects("phases", fewer, json, band -> {
            json.writeStringField("name", band.name());
            json.writeNumberField("from", band.from());
            json.writeNumberField("to", band.to());
            json.writeNumberField("peakBytes", band.peakBytes());
            json.writeNumberField("liveBytes", band.liveBytes());
        });
        int shownMarks = Math.min(marks.size(), MAX_MARKS);
        List<Mark> fewerMarks = IntStream.range(0, shownMarks)
                .mapToObj(i -> marks.get((int) ((long) i * marks.size() / shownMarks)))
                .toList();
        JsonParts.objects("marks", fewerMarks, json, mark -> {
            json.writeNumberField("event", mark.event());
            json.writeStringField("name", mark.name());
            json.writeStringField("kind", mark.kind());
        });
        json.writeNumberField("end", end);
        shown.add("phases", fewer.size(), all.size());
        shown.add("marks", shownMarks, marks.size());
        writeTimes(json);
    }

    /** The first band precedes all phases; it is omitted if it has no events. */
    private List<Band> bands() {
        List<HistoryEvent.PhaseBegan> began = history.phases();
        int before = phaseUsages.size() - began.size();
        List<Band> bands = new ArrayList<>();
        for (int i = 0; i < phaseUsages.size(); i++) {
            PhaseUsage usage = phaseUsages.get(i);
            int phase = i - before;
            bands.add(new Band(
                    usage.phase().name(),
                    phase < 0 ? 1 : began.get(phase).number(),
                    phase + 1 < began.size() ? began.get(phase + 1).number() : end,
                    usage.peakBytes(),
                    usage.liveBytes()));
        }
        return bands;
    }

    /** Neighbours are merged, as in the text. */
    private static List<Band> thinned(List<Band> all, int most) {
        if (all.size() <= most) {
            return all;
        }
        List<Band> fewer = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            List<Band> together =
                    all.subList((int) ((long) i * all.size() / most), (int) ((long) (i + 1) * all.size() / most));
            Band first = together.get(0);
            Band last = together.get(together.size() - 1);
            fewer.add(new Band(
                    together.size() == 1 ? first.name() : first.name() + " … " + last.name(),
                    first.from(),
                    last.to(),
                    together.stream().mapToLong(Band::peakBytes).max().orElseThrow(),
                    last.liveBytes()));
        }
        return fewer;
    }

    private void writeTimes(JsonGenerator json) throws IOException {
        if (times.size() < 2) {
            return;
        }
        int count = Math.min(times.size(), MAX_TIMES);
        long[] events = new long[count];
        long[] micros = new long[count];
        for (int i = 0; i < count; i++) {
            Time time = times.get((int) ((long) i * (times.size() - 1) / (count - 1)));
            events[i] = time.event();
            micros[i] =
                    TimeUnit.MICROSECONDS.convert(Duration.between(times.get(0).at(), time.at()));
        }
        json.writeObjectFieldStart("times");
        Columns.numbers("event", events, json);
        Columns.numbers("micros", micros, json);
        json.writeEndObject();
    }
}
