package dev.meshguard.verdict.internal;

import dev.meshguard.event.Quantities;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Survivor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Facts about the buffers that were allocated beside a survivor: most of them were freed, and where.
 *
 * <p>The code that freed the siblings of a leak missed the leak, so a reader has to look there.
 */
final class SiblingFacts {

    private static final int MAX_PHASES = 3;

    /** Causes whose evidence already has that count. */
    private static final Set<Cause> COUNTING = EnumSet.of(Cause.REPORTED_TWICE, Cause.UNEXPLAINED);

    private final AllocationHistory history;
    private final SiblingIndex siblings;
    /** Buffers freed late, for which more is reported than the free. */
    private final Set<BufferGeneration> late;

    SiblingFacts(AllocationHistory history, SiblingIndex siblings, Set<BufferGeneration> late) {
        this.history = history;
        this.siblings = siblings;
        this.late = late;
    }

    /** Returns the facts about a group; empty if there is no other buffer to compare. */
    List<Evidence> of(List<Survivor> group) {
        List<Evidence> facts = new ArrayList<>();
        whereSiblingsWereFreed(group).ifPresent(facts::add);
        alike(group).ifPresent(facts::add);
        reports(group).ifPresent(facts::add);
        return facts;
    }

    /** Returns how many from the line were freed, in which phases, and the first free that missed the survivors. */
    private Optional<Evidence> whereSiblingsWereFreed(List<Survivor> group) {
        List<BufferGeneration> line = siblings.fromSameLine(group.get(0).buffer());
        List<BufferGeneration> freed = line.stream()
                .filter(buffer -> !buffer.isLive() && !late.contains(buffer))
                .toList();
        if (freed.isEmpty()) {
            return Optional.empty();
        }
        SourceVocabulary words = history.vocabularyOf(group.get(0).buffer().request());
        Map<String, Long> phases = freed.stream()
                .map(buffer -> history.phaseAt(buffer.freedAt().orElseThrow()).name())
                .collect(Collectors.groupingBy(name -> name, LinkedHashMap::new, Collectors.counting()));
        long born = group.get(0).buffer().allocatedAt();
        Optional<Long> passed = freed.stream()
                .map(buffer -> buffer.freedAt().orElseThrow())
                .filter(died -> died > born)
                .min(Long::compare);
        return Optional.of(new Evidence(
                String.format(
                        Locale.ROOT,
                        "%d of %s from this line were %s, %s%s",
                        freed.size(),
                        words.count(line.size()),
                        words.freed(),
                        phases(phases),
                        passed.map(event -> String.format(
                                        Locale.ROOT,
                                        "; %s first passed over at event #%d",
                                        group.size() == 1 ? "this one was" : "these were",
                                        event))
                                .orElse(", before " + (group.size() == 1 ? "this one was" : "these were")
                                        + " allocated")),
                passed.map(List::of).orElse(List.of())));
    }

    private static String phases(Map<String, Long> phases) {
        if (phases.size() == 1) {
            return "in " + phases.keySet().iterator().next();
        }
        String named = phases.entrySet().stream()
                .limit(MAX_PHASES)
                .map(phase -> phase.getValue() + " in " + phase.getKey())
                .collect(Collectors.joining(", "));
        int more = phases.size() - MAX_PHASES;
        return named + (more > 0 ? " and others in " + Quantities.count(more, "more phase") : "");
    }

    /** Returns that every device leaks alike, which is as informative as a device that differs. */
    private Optional<Evidence> alike(List<Survivor> group) {
        BufferGeneration first = group.get(0).buffer();
        DeviceMajority majority = siblings.majorityOf(first);
        boolean allAlike = majority.devices() > 1
                && majority.followers() == majority.devices()
                && majority.of(first.device()).live() > 0
                && majority.of(first.device()).freed() > 0;
        return allAlike
                ? Optional.of(Evidence.of(String.format(
                        Locale.ROOT,
                        "all %d devices are alike: each allocated %d and freed %d",
                        majority.devices(),
                        majority.of(first.device()).allocated(),
                        majority.of(first.device()).freed())))
                : Optional.empty();
    }

    /**
     * Returns the counts of allocations and frees per address, as existing tools print them, if the cause does not
     * include them.
     */
    private static Optional<Evidence> reports(List<Survivor> group) {
        if (COUNTING.contains(group.get(0).cause())) {
            return Optional.empty();
        }
        return group.stream()
                .map(Survivor::buffer)
                .filter(buffer -> buffer.reports().size() > 1)
                .findFirst()
                .map(buffer -> new Evidence(
                        String.format(
                                Locale.ROOT,
                                "at %s on device %d: allocated %s, freed %s",
                                Quantities.address(buffer.address()),
                                buffer.device(),
                                Quantities.count(buffer.reports().size(), "time"),
                                Quantities.count(buffer.reports().size() - buffer.openReports(), "time")),
                        buffer.reports().stream()
                                .map(BufferGeneration.Report::allocatedAt)
                                .toList()));
    }
}
