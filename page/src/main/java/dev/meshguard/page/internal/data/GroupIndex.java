package dev.meshguard.page.internal.data;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.report.FindingGroups;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The groups of a verdict in one list, each followed by its consequences, and the group of each buffer. */
final class GroupIndex {

    /** A page of more must be searched anyway. The worst come first, so the most harmless are omitted. */
    static final int MAX_GROUPS = 5_000;

    static final int NONE = -1;

    /**
     * One group at its index.
     *
     * @param group the group
     * @param number its number on the page: that of its finding, for further groups of the finding with one of their own,
     *     {@code 2.1}, and for consequences with one more, {@code 2-1}
     * @param consequenceOf the index of the group with which it is freed, or {@link #NONE}
     * @param foldedInto the index of the first group of its finding, or {@link #NONE} if it is the first
     */
    record Entry(SurvivorGroup group, String number, int consequenceOf, int foldedInto) {}

    /** The group and status of a survivor. */
    record Membership(int group, SurvivorStatus standing) {}

    /**
     * The finding that the first line of the text names.
     *
     * @param place the index of its first group
     * @param finding the finding
     * @param of the number of findings with its status
     */
    record Largest(int place, FindingGroups finding, int of) {}

    private static final List<SurvivorStatus> WORST_FIRST = List.of(
            SurvivorStatus.LEAKED,
            SurvivorStatus.FREED_LATE,
            SurvivorStatus.MISREPORTED,
            SurvivorStatus.UNDECIDED,
            SurvivorStatus.EXPECTED);

    /** The findings that fold several groups, by their first. */
    private final IdentityHashMap<SurvivorGroup, FindingGroups> folded = new IdentityHashMap<>();

    private final List<Entry> entries = new ArrayList<>();
    private final Map<BufferGeneration, Membership> members = new HashMap<>();
    private Optional<Largest> largest = Optional.empty();
    private int all;

    GroupIndex(LeakVerdict verdict, Predicate<SurvivorGroup> isKnown) {
        // Buffers of omitted groups, or of none, still have a status.
        for (Survivor survivor : verdict.survivors()) {
            members.put(survivor.buffer(), new Membership(NONE, survivor.status()));
        }
        int number = 1;
        for (SurvivorStatus status : WORST_FIRST) {
            List<FindingGroups> findings = FindingGroups.of(verdict.groups(status), isKnown);
            int before = entries.size();
            for (FindingGroups finding : findings) {
                add(finding, String.valueOf(number));
                number++;
            }
            if (largest.isEmpty() && before < entries.size() && status != SurvivorStatus.EXPECTED) {
                largest = Optional.of(largestOf(findings, before));
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // The same group: two findings may have equal ones.
    private Largest largestOf(List<FindingGroups> findings, int from) {
        FindingGroups finding = FindingGroups.largestOf(findings);
        int place = from;
        while (place < entries.size() && entries.get(place).group() != finding.first()) {
            place++;
        }
        // Its group is omitted if more than the limit precede it; the first finding then stands for it.
        return place < entries.size()
                ? new Largest(place, finding, findings.size())
                : new Largest(from, findings.get(0), findings.size());
    }

    private void add(FindingGroups finding, String number) {
        int first = entries.size();
        List<SurvivorGroup> groups = finding.groups();
        if (groups.size() > 1) {
            folded.put(finding.first(), finding);
        }
        for (int i = 0; i < groups.size(); i++) {
            add(groups.get(i), i == 0 ? number : number + "." + i, NONE, i == 0 ? NONE : first);
        }
    }

    private void add(SurvivorGroup group, String number, int consequenceOf, int foldedInto) {
        all++;
        int place = entries.size();
        boolean isShown = place < MAX_GROUPS;
        if (isShown) {
            entries.add(new Entry(group, number, consequenceOf, foldedInto));
            for (Survivor survivor : group.survivors()) {
                members.put(survivor.buffer(), new Membership(place, survivor.status()));
            }
        }
        List<SurvivorGroup> consequences = group.consequences();
        for (int i = 0; i < consequences.size(); i++) {
            add(consequences.get(i), number + "-" + (i + 1), isShown ? place : NONE, NONE);
        }
    }

    List<Entry> entries() {
        return entries;
    }

    /** Returns the finding whose first group an entry has, if it folds several. */
    Optional<FindingGroups> folded(Entry entry) {
        return Optional.ofNullable(folded.get(entry.group()));
    }

    /** Returns the finding that the first line of the text names, unless nothing unexpected survived. */
    Optional<Largest> largest() {
        return largest;
    }

    /** Returns the number of groups, including the omitted ones. */
    int all() {
        return all;
    }

    /** Returns the membership of each survivor. */
    Map<BufferGeneration, Membership> members() {
        return members;
    }
}
