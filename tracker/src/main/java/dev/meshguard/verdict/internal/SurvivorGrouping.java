package dev.meshguard.verdict.internal;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.CachedPrograms;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.internal.survivor.HistoryIndex;
import dev.meshguard.verdict.internal.survivor.SiblingCounts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Groups survivors that have the same call site, memory type, size, label, cause and status.
 *
 * <p>Of the groups that one program, trace or workload keeps, one is the finding and the others are its consequences. So are
 * objects that the constructor of another open object constructed for that object.
 */
final class SurvivorGrouping {

    private static final String CONSTRUCTOR = "<init>";

    /** Causes whose evidence has the numbers of reports at an address. */
    private static final Set<Cause> COUNTING = EnumSet.of(Cause.REPORTED_TWICE, Cause.UNEXPLAINED);

    private final HistoryIndex index;
    private final AllocationHistory history;
    private final List<Survivor> survivors;
    /** More is reported about them than that they were freed. */
    private final Set<BufferGeneration> freedLate;

    SurvivorGrouping(HistoryIndex index, List<Survivor> survivors) {
        this.index = index;
        this.history = index.history();
        this.survivors = survivors;
        this.freedLate = survivors.stream()
                .map(Survivor::buffer)
                .filter(buffer -> !buffer.isLive())
                .collect(Collectors.toSet());
    }

    /** Returns the groups in the order of their oldest survivor. */
    List<SurvivorGroup> groups() {
        Collection<List<Survivor>> alike = survivors.stream()
                .collect(Collectors.groupingBy(this::keyOf, LinkedHashMap::new, Collectors.toList()))
                .values();
        IdentityHashMap<List<Survivor>, List<Survivor>> roots = roots(alike);
        addParts(roots, alike);
        IdentityHashMap<List<Survivor>, List<SurvivorGroup>> consequences = alike.stream()
                .filter(roots::containsKey)
                .collect(Collectors.groupingBy(
                        roots::get,
                        IdentityHashMap::new,
                        Collectors.mapping(group -> group(group, List.of()), Collectors.toList())));
        return alike.stream()
                .filter(group -> !roots.containsKey(group))
                .map(group -> group(group, consequences.getOrDefault(group, List.of())))
                .toList();
    }

    private SurvivorGroup group(List<Survivor> alike, List<SurvivorGroup> consequences) {
        return new SurvivorGroup(alike, consequences, circumstances(alike));
    }

    private Object keyOf(Survivor survivor) {
        BufferGeneration buffer = survivor.buffer();
        return List.of(
                buffer.origin()
                        .filter(origin -> !origin.frames().isEmpty())
                        .map(Object.class::cast)
                        .orElseGet(() -> withoutOrigin(buffer)),
                buffer.type(),
                buffer.request().details().source(),
                buffer.request().details().freedOnCollection(),
                buffer.hasDevice(),
                buffer.size(),
                buffer.label(),
                history.retainOf(buffer.request()),
                survivor.cause(),
                survivor.status());
    }

    /** Returns the request, or the process and the phase: a protocol of programs has no requests. */
    private static Object withoutOrigin(BufferGeneration buffer) {
        OptionalLong process = buffer.processId();
        return process.isPresent() ? List.of(process.getAsLong(), buffer.allocatedIn()) : buffer.request();
    }

    /**
     * Returns the root of each group that has one: the group with the highest rank among all that share a keeper and count
     * alike.
     */
    @SuppressWarnings("ReferenceEquality") // A group is one object.
    private IdentityHashMap<List<Survivor>, List<Survivor>> roots(Iterable<List<Survivor>> groups) {
        Map<Object, List<List<Survivor>>> byKeeper = new LinkedHashMap<>();
        for (List<Survivor> group : groups) {
            for (Object keeper : keepersOf(group)) {
                byKeeper.computeIfAbsent(List.of(keeper, group.get(0).status()), unused -> new ArrayList<>())
                        .add(group);
            }
        }
        IdentityHashMap<List<Survivor>, List<Survivor>> roots = new IdentityHashMap<>();
        for (List<List<Survivor>> together : byKeeper.values()) {
            List<Survivor> root = together.stream()
                    .min(Comparator.comparingInt(SurvivorGrouping::rank))
                    .orElseThrow();
            for (List<Survivor> group : together) {
                if (group != root
                        && !roots.containsKey(group)
                        && !roots.containsKey(root)
                        && !roots.containsValue(group)) {
                    roots.put(group, root);
                }
            }
        }
        return roots;
    }

    /** Adds the groups of objects that are parts of other open objects, to the outermost of these. */
    private static void addParts(
            IdentityHashMap<List<Survivor>, List<Survivor>> roots, Collection<List<Survivor>> groups) {
        // By the class of the objects, then by the stack below their constructors.
        Map<String, Map<Object, List<Survivor>>> constructed = new HashMap<>();
        for (List<Survivor> group : groups) {
            BufferGeneration first = group.get(0).buffer();
            first.request()
                    .details()
                    .source()
                    .ifPresent(type -> constructed
                            .computeIfAbsent(type, unused -> new HashMap<>())
                            .put(List.of(framesOf(group), group.get(0).status()), group));
        }
        IdentityHashMap<List<Survivor>, List<Survivor>> wholes = new IdentityHashMap<>();
        for (List<Survivor> group : groups) {
            wholeOf(group, constructed).ifPresent(whole -> wholes.put(group, whole));
        }
        wholes.forEach((part, whole) -> {
            List<Survivor> outermost = whole;
            while (wholes.containsKey(outermost)) {
                outermost = wholes.get(outermost);
            }
            roots.put(part, outermost);
        });
    }

    private static List<StackTraceElement> framesOf(List<Survivor> group) {
        return group.get(0).buffer().origin().map(Origin::frames).orElse(List.of());
    }

    /** Returns the objects whose constructor is on the stack of a group, below which the stacks are the same. */
    private static Optional<List<Survivor>> wholeOf(
            List<Survivor> part, Map<String, Map<Object, List<Survivor>>> constructed) {
        List<StackTraceElement> frames = framesOf(part);
        Set<String> constructing = new HashSet<>();
        for (int next = 0; next < frames.size(); next++) {
            StackTraceElement frame = frames.get(next);
            if (frame.getMethodName().equals(CONSTRUCTOR) && constructed.containsKey(frame.getClassName())) {
                constructing.add(frame.getClassName());
            }
            for (String type : constructing) {
                List<Survivor> whole = constructed
                        .getOrDefault(type, Map.of())
                        .get(List.of(
                                frames.subList(next + 1, frames.size()),
                                part.get(0).status()));
                if (whole != null) {
                    return Optional.of(whole);
                }
            }
        }
        return Optional.empty();
    }

    /** Returns what keeps a group: its owners, and before them the workload that was enqueued with this stack and never closed. */
    private Set<Object> keepersOf(List<Survivor> group) {
        Set<Owner> owners = ownersOf(group);
        List<StackTraceElement> frames = framesOf(group);
        Set<Object> keepers = new LinkedHashSet<>();
        if (!owners.isEmpty() && !frames.isEmpty() && owners.stream().allMatch(this::isUnclosedProgram)) {
            keepers.add(List.of(frames, group.get(0).cause()));
        }
        keepers.addAll(owners);
        return keepers;
    }

    private boolean isUnclosedProgram(Owner owner) {
        return owner.kind() == Owner.Kind.PROGRAM
                && history.cachingOf(owner).isEmpty()
                && history.endOf(owner).isEmpty();
    }

    /** A group is no consequence if some of it has no owner, or an owner that is never kept. */
    private static Set<Owner> ownersOf(List<Survivor> group) {
        List<Owner> kept = group.stream()
                .flatMap(survivor -> survivor.buffer().owner().stream())
                .filter(owner -> owner.kind().canBeCached())
                .toList();
        return kept.size() == group.size() ? new LinkedHashSet<>(kept) : Set.of();
    }

    /**
     * A trace ranks first, because the rest was allocated for it; then a program's binary, for which the program is
     * kept.
     */
    private static int rank(List<Survivor> group) {
        BufferGeneration first = group.get(0).buffer();
        if (first.type() == BufferType.TRACE) {
            return 0;
        }
        return first.kind() == BufferKind.BUFFER ? 1 : 2;
    }

    /** Returns facts about other buffers of the same line, and about the reports of the same addresses. */
    private List<Evidence> circumstances(List<Survivor> group) {
        return Stream.concat(
                        cachedPrograms(group),
                        Stream.of(freedFromSameLine(group), allDevicesAlike(group), reports(group))
                                .flatMap(Optional::stream))
                .toList();
    }

    /** Returns for which shapes a cache keeps the owners. */
    private Stream<Evidence> cachedPrograms(List<Survivor> group) {
        if (group.get(0).cause() != Cause.CACHED) {
            return Stream.empty();
        }
        List<Owner> owners = group.stream()
                .flatMap(survivor -> survivor.buffer().owner().stream())
                .toList();
        return CachedPrograms.of(owners, history::cacheKeyOf).stream()
                .map(programs -> Evidence.of(programs.toString()));
    }

    /**
     * Returns how many from the line were freed, in which phases, and the first free that missed the survivors: there a
     * reader has to look.
     */
    private Optional<Evidence> freedFromSameLine(List<Survivor> group) {
        BufferGeneration first = group.get(0).buffer();
        List<BufferGeneration> line = index.fromSameLine(first);
        List<Long> frees = line.stream()
                .filter(buffer -> !buffer.isLive() && !freedLate.contains(buffer))
                .map(buffer -> buffer.freedAt().orElseThrow())
                .toList();
        if (frees.isEmpty()) {
            return Optional.empty();
        }
        SourceVocabulary words = history.vocabularyOf(first.request());
        if (line.stream().anyMatch(BufferGeneration::isLeftToCollector)) {
            return Optional.of(Evidence.formatted(
                    "%d of %s from this line were %s", frees.size(), words.count(line.size()), words.freed()));
        }
        String these = group.size() == 1 ? "this one was" : "these were";
        Optional<Long> missed =
                frees.stream().filter(free -> free > first.allocatedAt()).min(Long::compare);
        return Optional.of(Evidence.formatted(
                        "%d of %s from this line were %s, %s%s",
                        frees.size(),
                        words.count(line.size()),
                        words.freed(),
                        history.phasesAt(frees),
                        missed.map(free -> "; " + these + " first passed over at event #" + free)
                                .orElse(", before " + these + " allocated"))
                .provedBy(missed.stream().toList()));
    }

    /** Returns that every device leaks alike, which is as informative as a device that differs. */
    private Optional<Evidence> allDevicesAlike(List<Survivor> group) {
        BufferGeneration first = group.get(0).buffer();
        SiblingCounts siblings = index.siblingsOf(first);
        SiblingCounts.AllocationFreeCount own = siblings.of(first.device());
        boolean allAlike = siblings.devices() > 1
                && siblings.followers(own) == siblings.devices()
                && own.live() > 0
                && own.freed() > 0;
        return allAlike
                ? Optional.of(Evidence.formatted(
                        "all %d devices are alike: each allocated %d and freed %d",
                        siblings.devices(), own.allocated(), own.freed()))
                : Optional.empty();
    }

    /**
     * Returns the counts of allocations and frees per address, as existing tools print them, if the cause does not
     * include them. What a cache keeps does not depend on reports that were freed.
     */
    private static Optional<Evidence> reports(List<Survivor> group) {
        if (COUNTING.contains(group.get(0).cause())) {
            return Optional.empty();
        }
        boolean isCached = group.get(0).cause() == Cause.CACHED;
        return group.stream()
                .map(Survivor::buffer)
                .filter(buffer -> buffer.reports().size() > 1 && (!isCached || buffer.openReports() > 1))
                .findFirst()
                .map(buffer -> Evidence.formatted(
                                "at %s on device %d: allocated %s, freed %s",
                                Quantities.address(buffer.address()),
                                buffer.device(),
                                Quantities.count(buffer.reports().size(), "time"),
                                Quantities.count(buffer.reports().size() - buffer.openReports(), "time"))
                        .provedBy(buffer.reports().stream()
                                .map(BufferGeneration.Report::allocatedAt)
                                .toList()));
    }
}
