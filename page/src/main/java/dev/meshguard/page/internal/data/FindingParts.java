package dev.meshguard.page.internal.data;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.report.SurvivorFinding.Part;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parts of all findings in the order and with the numbers in which a page lists them, each followed by its
 * consequences, and the part of each buffer.
 */
final class FindingParts {

    /** A page of more must be searched anyway. The worst come first, so the most harmless are omitted. */
    static final int MAX_GROUPS = 5_000;

    static final int NONE = -1;

    /**
     * One part at its index.
     *
     * @param part the part
     * @param finding the finding that begins with the part, if one does
     * @param number its number on the page: that of its finding, for further parts of the finding with one of their own,
     *     {@code 2.1}, and for consequences with one more, {@code 2-1}
     * @param consequenceOf the index of the part with which it is freed, or {@link #NONE}
     * @param foldedInto the index of the first part of its finding, or {@link #NONE} if it is the first
     */
    record Entry(Part part, Optional<SurvivorFinding> finding, String number, int consequenceOf, int foldedInto) {}

    /** The part and status of a survivor. */
    record Membership(int group, SurvivorStatus status) {}

    /**
     * The finding that the first line of the text names.
     *
     * @param place the index of its first part
     * @param finding the finding
     * @param of the number of findings with its status
     */
    record Largest(int place, SurvivorFinding finding, int of) {}

    private final List<Entry> entries = new ArrayList<>();
    private final Map<BufferGeneration, Membership> members = new HashMap<>();
    private final Optional<Largest> largest;
    private int all;

    FindingParts(VerdictReport report) {
        // Buffers of omitted groups, or of none, still have a status.
        for (Survivor survivor : report.verdict().survivors()) {
            members.put(survivor.buffer(), new Membership(NONE, survivor.status()));
        }
        int number = 1;
        for (SurvivorFinding finding : report.survivors()) {
            add(finding, String.valueOf(number));
            number++;
        }
        largest = report.survivors().stream()
                .map(SurvivorFinding::status)
                .findFirst()
                .filter(status -> status != SurvivorStatus.EXPECTED)
                .map(worst -> largestOf(report.survivors(worst)));
    }

    private Largest largestOf(List<SurvivorFinding> findings) {
        Optional<SurvivorFinding> largestOne = Optional.of(SurvivorFinding.largestOf(findings));
        for (int place = 0; place < entries.size(); place++) {
            if (entries.get(place).finding().equals(largestOne)) {
                return new Largest(place, largestOne.get(), findings.size());
            }
        }
        // Its part is omitted if more than the limit precede it; the first finding then stands for it.
        return new Largest(0, findings.get(0), findings.size());
    }

    private void add(SurvivorFinding finding, String number) {
        int first = entries.size();
        List<Part> parts = finding.parts();
        add(parts.get(0), Optional.of(finding), number, NONE, NONE);
        for (int i = 1; i < parts.size(); i++) {
            add(parts.get(i), Optional.empty(), number + "." + i, NONE, first);
        }
    }

    private void add(Part part, Optional<SurvivorFinding> finding, String number, int consequenceOf, int foldedInto) {
        all++;
        int place = entries.size();
        boolean isShown = place < MAX_GROUPS;
        if (isShown) {
            entries.add(new Entry(part, finding, number, consequenceOf, foldedInto));
            for (Survivor survivor : part.group().survivors()) {
                members.put(survivor.buffer(), new Membership(place, survivor.status()));
            }
        }
        List<Part> consequences = part.consequences();
        for (int i = 0; i < consequences.size(); i++) {
            add(consequences.get(i), Optional.empty(), number + "-" + (i + 1), isShown ? place : NONE, NONE);
        }
    }

    List<Entry> entries() {
        return entries;
    }

    /** Returns the finding that the first line of the text names, unless nothing unexpected survived. */
    Optional<Largest> largest() {
        return largest;
    }

    /** Returns the number of parts, including the omitted ones. */
    int all() {
        return all;
    }

    /** Returns the membership of each survivor. */
    Map<BufferGeneration, Membership> members() {
        return members;
    }
}
