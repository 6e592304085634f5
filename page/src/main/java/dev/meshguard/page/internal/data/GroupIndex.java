package dev.meshguard.page.internal.data;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The groups of a verdict in one list, each followed by its consequences, and the group of each buffer. */
final class GroupIndex {

    /** A page of more must be searched anyway. The worst come first, so the most harmless are omitted. */
    static final int MAX_GROUPS = 5_000;

    static final int NONE = -1;

    /**
     * One group at its index.
     *
     * @param group the group
     * @param number its number on the page; a consequence has the number of its group and one of its own: {@code 2-1}
     * @param consequenceOf the index of the group with which it is freed, or {@link #NONE}
     */
    record Entry(SurvivorGroup group, String number, int consequenceOf) {}

    /** The group and status of a survivor. */
    record Membership(int group, SurvivorStatus standing) {}

    private static final List<SurvivorStatus> WORST_FIRST = List.of(
            SurvivorStatus.LEAKED,
            SurvivorStatus.FREED_LATE,
            SurvivorStatus.MISREPORTED,
            SurvivorStatus.UNDECIDED,
            SurvivorStatus.EXPECTED);

    private final List<Entry> entries = new ArrayList<>();
    private final Map<BufferGeneration, Membership> members = new HashMap<>();
    private int all;

    GroupIndex(LeakVerdict verdict) {
        // Buffers of omitted groups, or of none, still have a status.
        for (Survivor survivor : verdict.survivors()) {
            members.put(survivor.buffer(), new Membership(NONE, survivor.status()));
        }
        List<SurvivorGroup> sorted = verdict.groups().stream()
                .sorted(Comparator.comparing(group -> WORST_FIRST.indexOf(group.status())))
                .toList();
        for (int i = 0; i < sorted.size(); i++) {
            add(sorted.get(i), String.valueOf(i + 1), NONE);
        }
    }

    private void add(SurvivorGroup group, String number, int consequenceOf) {
        all++;
        int place = entries.size();
        boolean isShown = place < MAX_GROUPS;
        if (isShown) {
            entries.add(new Entry(group, number, consequenceOf));
            for (Survivor survivor : group.survivors()) {
                members.put(survivor.buffer(), new Membership(place, survivor.status()));
            }
        }
        List<SurvivorGroup> consequences = group.consequences();
        for (int i = 0; i < consequences.size(); i++) {
            add(consequences.get(i), number + "-" + (i + 1), isShown ? place : NONE);
        }
    }

    List<Entry> entries() {
        return entries;
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
