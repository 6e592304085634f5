package dev.meshguard.report;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.text.FrameName;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes the first line of each kind of findings, which a reader understands without the lines below.
 *
 * <p>The list of failed tests of a build or an IDE shows little more, and cuts it. A line is at most {@value #MAX_COLUMNS}
 * columns wide; if it would be wider, the details of the largest finding are left out, the least important first.
 */
final class Headlines {

    static final int MAX_COLUMNS = 110;

    private static final String LEAK = "LEAK  ";
    private static final String OUT_OF_MEMORY = "OUT OF MEMORY  ";
    private static final String OVERWRITTEN = "OVERWRITTEN  ";
    private static final String OVERLAP = "OVERLAP  ";

    private static final Pattern END_OF_REASON = Pattern.compile(", so |\\.( |$)");

    private final LeakVerdict verdict;
    private final AllocationHistory history;
    private final MemoryNames names;

    Headlines(LeakVerdict verdict, MemoryNames names) {
        this.verdict = verdict;
        this.history = verdict.history();
        this.names = names;
    }

    /** Returns the line about leaks. */
    String leak(List<SurvivorFinding> findings) {
        String amount = LEAK + amount(findings) + ofProcess(findings);
        SurvivorFinding largest = SurvivorFinding.largestOf(findings);
        String holder = holder(largest).map(field -> " by " + field).orElse("");
        if (findings.size() == 1) {
            String why = largest.cause() == Cause.UNEXPLAINED
                            && !names.of(largest.first()).equals(SourceVocabulary.MESH)
                    ? (Finding.buffersOf(findings) == 1 ? " was" : " were") + " never " + freed(findings)
                    : ", " + largest.cause();
            String verb = largest.retain().isPresent()
                    ? "retained"
                    : names.of(largest.first()).allocated();
            String allocated =
                    largest.fileLine().map(line -> "; " + verb + " in " + line).orElse(line(largest));
            return firstThatFits(amount + why + holder + allocated, amount + why + allocated, amount + why);
        }
        boolean hasSize = largest.bytes() > 0;
        String all = amount + ", " + findings.size() + " findings; "
                + (hasSize ? "largest " + Quantities.shortSize(largest.bytes()) : "first");
        String label = largest.first()
                .label()
                .map(text -> " " + (hasSize ? Quantities.quoted(text) : text))
                .orElse("");
        String cause = " " + largest.cause();
        String line = line(largest);
        return firstThatFits(
                all + label + cause + holder + line,
                all + cause + holder + line,
                all + label + cause + holder,
                all + label + cause + line,
                all + cause + line,
                all + cause);
    }

    /** Returns the line about memory that was freed too late. */
    String freedLate(List<SurvivorFinding> findings) {
        String amount = "FREED_LATE  " + amount(findings)
                + (Finding.buffersOf(findings) == 1 ? " was" : " were") + " " + freed(findings) + " only after "
                + (hasClosedAnything(findings) ? "close_mesh_device began" : "the check");
        String more = findings.size() == 1 ? "" : ", " + findings.size() + " findings";
        return firstThatFits(amount + more + line(SurvivorFinding.largestOf(findings)), amount + more);
    }

    /** Returns the line about a verdict that cannot decide. */
    String inconclusive(List<SurvivorFinding> undecided) {
        String memory = undecided.isEmpty()
                ? "it cannot be known whether all memory was freed"
                : amount(undecided) + " may have leaked";
        String first = beginning(verdict.inconclusiveReasons().get(0));
        int others = verdict.inconclusiveReasons().size() - 1;
        String more = others == 0 ? "" : ", and " + Quantities.count(others, "more reason");
        String line = "INCONCLUSIVE  " + memory;
        return firstThatFits(line + ": " + first + more, line + ": " + first, line);
    }

    /** Returns the line about wrong reports. */
    String misreported(List<SurvivorFinding> misreported) {
        long unreported = unbalancing(Anomaly.Kind.NEVER_REPORTED);
        long freesByAddress = unbalancing(Anomaly.Kind.FREED_BY_ADDRESS);
        long frees = verdict.unbalancingAnomalies().size() - unreported - freesByAddress;
        List<String> others = new ArrayList<>();
        if (frees > 0) {
            others.add(Quantities.count(frees, verdict.vocabulary().free()) + " of nothing");
        }
        if (freesByAddress > 0) {
            others.add(Quantities.count(freesByAddress, verdict.vocabulary().free()) + " of another buffer's memory");
        }
        if (unreported > 0) {
            others.add(names.count(unreported) + " never reported");
        }
        String line = "MISREPORTED  " + (verdict.isLeakFree() ? "no memory leaked; " : "");
        if (misreported.isEmpty()) {
            return firstThatFits(line + String.join("; ", others));
        }
        long buffers = Finding.buffersOf(misreported);
        line += units(misreported) + " ("
                + Quantities.shortSize(Finding.bytesOf(misreported)) + ") "
                + (buffers == 1 ? "lacks" : "lack") + " a free report";
        Set<Cause> causes =
                misreported.stream().map(SurvivorFinding::cause).collect(Collectors.toCollection(TreeSet::new));
        String cause = causes.size() == 1 ? ": " + causes.iterator().next() : "";
        String more = others.stream().map(part -> "; " + part).collect(Collectors.joining());
        return firstThatFits(line + cause + more, line + more, line);
    }

    private long unbalancing(Anomaly.Kind kind) {
        return verdict.unbalancingAnomalies().stream()
                .filter(anomaly -> anomaly.kind() == kind)
                .count();
    }

    /** Returns the line about the damage that replays of traces do. */
    static String overwritten(List<OverwriteFinding> replays) {
        OverwriteFinding largest = replays.stream()
                .max(Comparator.comparingLong(OverwriteFinding::overwrittenBytes))
                .orElseThrow();
        Set<BufferType> types = replays.stream().map(OverwriteFinding::type).collect(Collectors.toSet());
        String amount = OVERWRITTEN
                + Quantities.shortSize(replays.stream()
                        .mapToLong(OverwriteFinding::overwrittenBytes)
                        .reduce(0, Quantities::saturatedSum))
                + " in "
                + Quantities.count(
                        Finding.buffersOf(replays), (types.size() == 1 ? largest.type() + " " : "") + "buffer");
        String more = replays.size() == 1 ? "" : ", " + replays.size() + " findings, largest";
        String line = largest.site()
                .flatMap(FrameName::fileLine)
                .map(fileLine -> "; allocated in " + fileLine)
                .orElse("");
        return firstThatFits(
                amount + more + largest.whatHappened() + line,
                amount + more + largest.shortWhatHappened() + line,
                amount + more + largest.shortWhatHappened(),
                amount + largest.shortWhatHappened());
    }

    /** Returns the line about memory that two allocators held at a time. */
    static String overlap(List<OverwriteFinding> overlaps, boolean isOfTwoMeshes) {
        return OVERLAP + "two " + (isOfTwoMeshes ? "meshes" : "allocators")
                + " held the same memory at a time, so each may have overwritten the other's data: "
                + Quantities.count(Finding.buffersOf(overlaps), "buffer");
    }

    /** Returns the line of a verdict without findings, of which only expected memory remains. */
    String clean(List<SurvivorFinding> remaining) {
        if (remaining.isEmpty()) {
            return "CLEAN  all memory was freed";
        }
        long bytes = Finding.bytesOf(remaining);
        return "CLEAN  only expected memory remains: " + (bytes == 0 ? "" : Quantities.shortSize(bytes) + " in ")
                + names.count(verdict.survivors(survivor -> survivor.status() == SurvivorStatus.EXPECTED));
    }

    /** Returns whether a line is about what happened to memory, and not about buffers that remain. */
    static boolean isOfIncident(String line) {
        return Stream.of(OUT_OF_MEMORY, OVERWRITTEN, OVERLAP).anyMatch(line::startsWith);
    }

    /** Returns the line about a failure for lack of memory. */
    static String shortage(MemoryShortage shortage) {
        String needed = Quantities.shortSize(shortage.needed()) + " needed";
        String line = OUT_OF_MEMORY + shortage.type() + " ";
        return firstThatFits(
                switch (shortage.reason()) {
                    case TOO_LARGE ->
                        line + "too small: " + needed + " "
                                + shortage.region()
                                        .map(MemoryShortage.Region::scope)
                                        .orElse("in each bank");
                    case FULL ->
                        line + "full: " + needed + " in each bank, " + Quantities.shortSize(shortage.free()) + " free";
                    case FRAGMENTED ->
                        line + "fragmented: " + needed + " in each bank, " + Quantities.shortSize(shortage.free())
                                + " free in pieces of at most " + Quantities.shortSize(shortage.largestFree());
                    case OCCUPIED -> line + "occupied: " + needed + " at addresses that buffers have";
                });
    }

    /** Returns the line of a kind of findings for a test that failed before it could free its memory: a leak is not the cause. */
    static String afterFailure(String line) {
        return line.startsWith(LEAK) ? "remaining after the failure: " + line.substring(LEAK.length()) : line;
    }

    /** Returns the process of the buffers, if one other program allocated all of them: a freed report of another one does not count. */
    private static String ofProcess(List<SurvivorFinding> findings) {
        Set<Long> processes = new TreeSet<>();
        findings.stream()
                .flatMap(SurvivorFinding::survivors)
                .map(survivor -> survivor.buffer())
                .flatMap(buffer -> buffer.isLive()
                        ? buffer.reportsRemaining().stream().map(report -> report.request())
                        : Stream.of(buffer.request()))
                .forEach(request -> request.details().processId().ifPresent(processes::add));
        return processes.size() == 1 ? " of process " + processes.iterator().next() : "";
    }

    private boolean hasClosedAnything(List<SurvivorFinding> findings) {
        return findings.stream().anyMatch(finding -> names.of(finding.first()).hasDevices())
                && history.openMeshes().size() < history.meshes().size();
    }

    /** Returns the field that holds the handle. */
    private Optional<String> holder(SurvivorFinding finding) {
        SurvivorGroup first = finding.first();
        if (first.cause() != Cause.HELD) {
            return Optional.empty();
        }
        return first.evidence().get(0).events().stream()
                .flatMap(event -> history.event(event).stream())
                .filter(HistoryEvent.HandleTraced.class::isInstance)
                .map(event -> ((HistoryEvent.HandleTraced) event).reachability())
                .flatMap(found -> found.holder().stream().mapToObj(found.path()::get))
                .reduce((earlier, later) -> later);
    }

    /** Returns {@code  (KvCacheTest.java:41)}, or {@code  (server.log:18)} if no line of code is known. */
    private static String line(SurvivorFinding finding) {
        return finding.fileLine()
                .or(finding::lineOfLog)
                .map(line -> " (" + line + ")")
                .orElse("");
    }

    /** Returns a reason without its effect and without what the reader should do about it; both follow below. */
    private static String beginning(InconclusiveReason reason) {
        Matcher end = END_OF_REASON.matcher(reason.text());
        String beginning = end.find() ? reason.text().substring(0, end.start()) : reason.text();
        return beginning.substring(0, 1).toLowerCase(Locale.ROOT) + beginning.substring(1);
    }

    private static String firstThatFits(String... candidates) {
        for (String candidate : candidates) {
            if (candidate.length() <= MAX_COLUMNS) {
                return candidate;
            }
        }
        String shortest = candidates[candidates.length - 1];
        return shortest.substring(0, Math.min(shortest.length(), MAX_COLUMNS - 1))
                + (shortest.length() < MAX_COLUMNS ? "" : "…");
    }

    /** Returns {@code 8 MiB in 8 DRAM buffers}, {@code 8 MiB of native memory in 2 arenas} or {@code 2 RocksIterator}. */
    private String amount(List<SurvivorFinding> findings) {
        Set<String> named = groups(findings)
                .map(group -> names.of(group).isOfObjects()
                        ? ""
                        : names.of(group).memory().orElse(""))
                .collect(Collectors.toSet());
        String memory = MemoryNames.only(named)
                .filter(name -> !name.isEmpty())
                .map(name -> " of " + name)
                .orElse("");
        return groups(findings)
                        .flatMap(group -> group.survivors().stream())
                        .allMatch(survivor -> survivor.buffer().isOfUnknownSize())
                ? units(findings) + memory
                : Quantities.shortSize(Finding.bytesOf(findings)) + memory + " in " + units(findings);
    }

    /** Returns the number of buffers, with their type if all have one and no name; of objects that of each class. */
    private String units(List<SurvivorFinding> findings) {
        Optional<String> objects = names.objects(groups(findings).toList());
        if (objects.isPresent()) {
            return objects.get();
        }
        Set<String> types = groups(findings)
                .map(group -> names.of(group).hasDevices() ? group.type() + " " : "")
                .collect(Collectors.toSet());
        return Quantities.count(
                Finding.buffersOf(findings),
                MemoryNames.only(types).orElse("")
                        + MemoryNames.unit(groups(findings).map(names::of)));
    }

    /** Returns the past participle that several sources share. */
    private String freed(List<SurvivorFinding> findings) {
        return MemoryNames.only(
                        groups(findings).map(group -> names.of(group).freed()).collect(Collectors.toSet()))
                .orElse(SourceVocabulary.MESH.freed());
    }

    private static Stream<SurvivorGroup> groups(List<SurvivorFinding> findings) {
        return findings.stream()
                .flatMap(SurvivorFinding::groups)
                .flatMap(group -> Stream.concat(Stream.of(group), group.consequences().stream()));
    }
}
