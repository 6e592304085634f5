package dev.meshguard.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.Freed;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.report.Finding.Fact;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A report that the ledger cannot add up: a free of nothing, or memory that was never reported.
 *
 * @param anomaly the report
 * @param names the names of the memory
 * @param log the lines of the log that was read, if one was
 */
record AnomalyFinding(Anomaly anomaly, MemoryNames names, Optional<LogLines> log) implements Finding {

    @Override
    public String title() {
        return names.description(anomaly) + ": " + names.memory(anomaly) + " (event #"
                + anomaly.event().number() + ")";
    }

    /** Returns the line that reported a free. */
    @Override
    public List<String> sites() {
        return free().map(Freed::request).or(this::freeByAddress).flatMap(MemoryRequest::origin).stream()
                .map(Object::toString)
                .toList();
    }

    @Override
    public List<Fact> facts() {
        List<Fact> facts = new ArrayList<>();
        log.flatMap(lines -> lines.of(anomaly.event().number()))
                .ifPresent(line -> facts.add(new Fact(Fact.WHERE, line)));
        facts.add(new Fact(Fact.WHY, why()));
        if (anomaly.kind() == Anomaly.Kind.DOUBLE_FREE) {
            anomaly.generation().ifPresent(buffer -> addLines(buffer, facts));
        } else if (anomaly.kind() == Anomaly.Kind.FREED_BY_ADDRESS) {
            anomaly.generation()
                    .flatMap(buffer -> lineOf(buffer.request().origin(), buffer.allocatedAt()))
                    .ifPresent(line -> facts.add(new Fact(Fact.SEEN, "allocated at " + line)));
            facts.add(new Fact(
                    Fact.FIX, "Free memory once: by its address, or through its handle if nobody freed the address."));
        }
        return facts;
    }

    /** Returns the request that freed the memory of a buffer by its address. */
    private Optional<MemoryRequest> freeByAddress() {
        return anomaly.kind() == Anomaly.Kind.FREED_BY_ADDRESS
                ? HistoryEvent.requestOf(anomaly.event())
                : Optional.empty();
    }

    /** Adds the lines of the buffer that was freed before: a free by address may have been meant for another one. */
    private void addLines(BufferGeneration buffer, List<Fact> facts) {
        Report freed = buffer.reports().stream()
                .max(Comparator.comparingLong(report -> report.freedAt().orElse(0)))
                .orElseThrow();
        freed.freedAt().stream()
                .boxed()
                .flatMap(free -> lineOf(freed.release().flatMap(MemoryRequest::origin), free).stream())
                .forEach(line -> facts.add(new Fact(Fact.FREED, "before at " + line)));
        lineOf(freed.request().origin(), freed.allocatedAt())
                .ifPresent(line -> facts.add(new Fact(Fact.SEEN, "allocated at " + line)));
    }

    private Optional<String> lineOf(Optional<Origin> origin, long event) {
        return origin.flatMap(Origin::site)
                .map(StackTraceElement::toString)
                .or(() -> log.flatMap(lines -> lines.of(event)));
    }

    /** Returns the free that is reported, if it is one. */
    Optional<Freed> free() {
        return anomaly.event() instanceof Freed free ? Optional.of(free) : Optional.empty();
    }

    /** Names the buffer that has or had the address. */
    private String why() {
        if (anomaly.kind() == Anomaly.Kind.NEVER_REPORTED) {
            return "the allocator held it when close began, and no more before it was wiped";
        }
        if (anomaly.kind() == Anomaly.Kind.FREED_BY_ADDRESS) {
            return freedByAddress();
        }
        if (anomaly.generation().isEmpty()) {
            // A source explains a free only if it has no more information: an address alone would lead nowhere.
            return "no buffer was ever reported there"
                    + free().flatMap(free -> free.details().label())
                            .map(label -> "; the free was said to be of " + Quantities.quoted(label))
                            .orElse("");
        }
        BufferGeneration buffer = anomaly.generation().get();
        if (anomaly.kind() == Anomaly.Kind.UNKNOWN_FREE && free().isPresent()) {
            return allocatedByAnother(free().get(), buffer);
        }
        Optional<Report> open = buffer.reports().stream()
                .filter(report -> report.wasOpenAt(anomaly.event().number()))
                .findFirst();
        return open.isPresent() && free().isPresent()
                ? "the buffer there, " + Quantities.size(open.get().size()) + ", was reported at event #"
                        + open.get().allocatedAt() + " and is another one: "
                        + difference(free().get().details(), open.get().details())
                : (names.hasDevice(buffer) ? "the buffer that was there, " : "it, ") + Quantities.size(buffer.size())
                        + ", was " + names.of(buffer.request()).freed() + " before, at event #"
                        + buffer.freedAt().orElse(buffer.allocatedAt())
                        + (buffer.isCollected() ? ", when its handle was collected" : "");
    }

    private String freedByAddress() {
        return "the buffer"
                + anomaly.generation()
                        .map(buffer -> ", " + Quantities.size(buffer.size()) + ", allocated at event #"
                                + buffer.allocatedAt() + " and freed by address at event #"
                                + buffer.freedAt().orElse(anomaly.event().number()) + ",")
                        .orElse(" was freed by address and")
                + " was freed by its own handle too, and by then another buffer had the memory: one of the two frees hits a"
                + " buffer in use";
    }

    private static String difference(AllocationDetails freed, AllocationDetails reported) {
        if (freed.kind() != reported.kind()) {
            return freed.kind() == BufferKind.BUFFER ? "it is a circular buffer" : "the free is of a circular buffer";
        }
        if (freed.view()) {
            return "the free is of a view";
        }
        return freed.mayHaveOwnerOf(reported)
                ? "it takes another extent of its bank"
                : "the free names " + freed.owner().orElseThrow() + ", not "
                        + reported.owner().orElseThrow();
    }

    /** A mesh frees an address that it never allocated; another mesh has or had a buffer there. */
    private String allocatedByAnother(Freed free, BufferGeneration buffer) {
        return names.allocator(free.request(), free.device())
                + " allocated no buffer there; the one there, " + Quantities.size(buffer.size())
                + ", was allocated at event #" + buffer.allocatedAt() + " by "
                + names.allocator(buffer);
    }
}
