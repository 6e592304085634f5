package dev.meshguard.cli.run;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessMemory;
import dev.meshguard.capture.evidence.SharedMemory.Totals;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How the memory of one device differs between two moments: of two memory reports, or of its shared memory at two times.
 *
 * @param changes the amounts that differ
 * @param notes what could not be compared, as whole sentences
 */
record MomentDifference(List<AmountChange> changes, List<String> notes) {

    /**
     * An amount that differs.
     *
     * @param type the memory
     * @param what what was counted, such as {@code allocated in a bank}
     * @param isAllocated whether it is memory in buffers; otherwise it is free
     * @param before the bytes at the earlier moment
     * @param after the bytes at the later one
     */
    record AmountChange(BufferType type, String what, boolean isAllocated, long before, long after) {

        String text() {
            long more = after - before;
            return String.format(
                    Locale.ROOT,
                    "   %s %s: %s -> %s, %s%s",
                    type,
                    what,
                    Quantities.size(before),
                    Quantities.size(after),
                    more < 0 ? "-" : "+",
                    Quantities.size(Math.abs(more)));
        }
    }

    /**
     * Compares two moments.
     *
     * @throws UsageException if one is of shared memory and the other of a memory report, or they are of different devices
     */
    static MomentDifference between(RuntimeEvidence before, RuntimeEvidence after) throws UsageException {
        if (before instanceof MemoryReport earlier && after instanceof MemoryReport later) {
            return ofReports(earlier, later);
        }
        if (before instanceof SharedMemory earlier && after instanceof SharedMemory later) {
            return ofSharedMemory(earlier, later);
        }
        throw new UsageException(String.format(
                Locale.ROOT,
                "%s is %s, and %s is %s: give two files of one kind.",
                before.name(),
                kind(before),
                after.name(),
                kind(after)));
    }

    private static String kind(RuntimeEvidence file) {
        return file instanceof MemoryReport ? "a memory report" : "shared memory";
    }

    ExitStatus status() {
        if (changes.isEmpty()) {
            return notes.isEmpty() ? ExitStatus.CLEAN : ExitStatus.INCONCLUSIVE;
        }
        return changes.stream().anyMatch(change -> change.isAllocated() && change.after() > change.before())
                ? ExitStatus.LEAKED
                : ExitStatus.DIFFERENT;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(
                switch (status()) {
                    case CLEAN -> "SAME USAGE  no difference";
                    case INCONCLUSIVE -> "INCONCLUSIVE  no difference in what can be compared";
                    default -> "CHANGED  between the two moments";
                });
        changes.forEach(change -> lines.add(change.text()));
        notes.forEach(note -> lines.add("note    " + PrintableText.line(note)));
        return lines;
    }

    // Memory reports

    private static MomentDifference ofReports(MemoryReport before, MemoryReport after) throws UsageException {
        List<AmountChange> changes = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (MemoryReport report : List.of(before, after)) {
            report.notes().forEach(note -> notes.add(report.name() + ": " + note));
        }
        boolean isAnyCompared = false;
        for (BufferType type : BufferType.values()) {
            Optional<ReportedMemory> earlier = memory(before, type);
            Optional<ReportedMemory> later = memory(after, type);
            if (earlier.isPresent() && later.isPresent()) {
                boolean isCompared = compare(earlier.get(), later.get(), before.rounding(), after.rounding(), changes);
                isAnyCompared |= isCompared;
                if (!isCompared) {
                    notes.add(type + " is not compared: the files do not have the same figures of it.");
                }
            } else if (earlier.isPresent() || later.isPresent()) {
                notes.add(String.format(
                        Locale.ROOT, "%s is only in %s.", type, earlier.isPresent() ? before.name() : after.name()));
            }
        }
        if (!isAnyCompared) {
            throw new UsageException(before.name() + " and " + after.name()
                    + " have no figures of the same memory: give two reports of one kind, both whole.");
        }
        return new MomentDifference(changes, notes);
    }

    private static Optional<ReportedMemory> memory(MemoryReport report, BufferType type) {
        return report.memories().stream()
                .filter(memory -> memory.type() == type)
                .findFirst();
    }

    /** Returns whether both have an amount of it. */
    private static boolean compare(
            ReportedMemory before, ReportedMemory after, long lostBefore, long lostAfter, List<AmountChange> changes) {
        BufferType type = before.type();
        boolean areWhole = before.all().isPresent() && after.all().isPresent();
        Optional<Amounts> earlier = areWhole ? before.all() : before.bank();
        Optional<Amounts> later = areWhole ? after.all() : after.bank();
        boolean hasAmounts = earlier.isPresent() && later.isPresent();
        if (hasAmounts) {
            add(
                    new AmountChange(
                            type,
                            areWhole ? "allocated" : "allocated in a bank",
                            true,
                            earlier.get().allocated(),
                            later.get().allocated()),
                    earlier.get().rounding(),
                    later.get().rounding(),
                    changes);
        }
        boolean haveLargestFree =
                before.largestFree().isPresent() && after.largestFree().isPresent();
        if (haveLargestFree) {
            add(
                    new AmountChange(
                            type,
                            "largest free block",
                            false,
                            before.largestFree().getAsLong(),
                            after.largestFree().getAsLong()),
                    lostBefore,
                    lostAfter,
                    changes);
        }
        return hasAmounts || haveLargestFree;
    }

    /** Adds a change that is certain: numbers that were rounded down may be larger by what they lost. */
    private static void add(AmountChange change, long lostBefore, long lostAfter, List<AmountChange> changes) {
        if (change.after() > change.before() + lostBefore || change.after() + lostAfter < change.before()) {
            changes.add(change);
        }
    }

    // Shared memory

    private static MomentDifference ofSharedMemory(SharedMemory before, SharedMemory after) throws UsageException {
        if (before.device() != after.device()) {
            throw new UsageException(String.format(
                    Locale.ROOT,
                    "%s is of device %d, and %s of device %d: give two files of one device.",
                    before.name(),
                    before.device(),
                    after.name(),
                    after.device()));
        }
        List<AmountChange> changes = new ArrayList<>();
        compare("allocated", before.total(), after.total(), changes);
        Map<String, Totals> earlier = processes(before);
        Map<String, Totals> later = processes(after);
        Totals none = new Totals(0, 0, 0, 0, 0);
        Set<String> all = new TreeSet<>(earlier.keySet());
        all.addAll(later.keySet());
        all.forEach(process -> compare(
                "of " + process, earlier.getOrDefault(process, none), later.getOrDefault(process, none), changes));
        return new MomentDifference(changes, List.of());
    }

    private static Map<String, Totals> processes(SharedMemory memory) {
        Map<String, Totals> totals = new HashMap<>();
        for (ProcessMemory process : memory.processes()) {
            if (process.processId() > 0) {
                totals.put(
                        "process " + process.processId() + " (" + PrintableText.line(process.command()) + ")",
                        process.totals());
            }
        }
        return totals;
    }

    private static void compare(String what, Totals before, Totals after, List<AmountChange> changes) {
        for (BufferType type : BufferType.values()) {
            add(new AmountChange(type, what, true, before.of(type), after.of(type)), 0, 0, changes);
        }
    }
}
