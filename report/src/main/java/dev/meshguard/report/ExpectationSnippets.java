package dev.meshguard.report;

import dev.meshguard.event.Quantities;
import dev.meshguard.report.VerdictReport.ExpectationSnippet;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.expectation.Bound;
import dev.meshguard.verdict.expectation.DeviceSet;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.OriginPattern;
import dev.meshguard.verdict.expectation.SizeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.stream.Collectors;

/** Expectation entries for pasting: as an annotation, and as a line of a file. */
final class ExpectationSnippets {

    /** The user must replace it with a reason. */
    private static final String REASON = "…";

    private ExpectationSnippets() {}

    /**
     * Returns the narrowest entry for a finding, if it admits no other buffer of the verdict.
     *
     * @param devices all devices: if each of them holds a buffer of the finding, the entry names none
     */
    static Optional<ExpectationSnippet> narrowest(FindingGroups finding, LeakVerdict verdict, List<Integer> devices) {
        Expectation entry = narrowestFor(finding, devices);
        return finding.groups().size() == 1 || admitsOnly(finding, entry, verdict)
                ? Optional.of(new ExpectationSnippet(annotation(entry), entry.toText()))
                : Optional.empty();
    }

    /** The sizes between the smallest and the largest of a finding may be those of another one. */
    private static boolean admitsOnly(FindingGroups finding, Expectation entry, LeakVerdict verdict) {
        long admitted = verdict.survivors(survivor -> survivor.status() != SurvivorStatus.EXPECTED
                        && entry.fits(survivor.buffer(), verdict.history()))
                .size();
        return admitted == finding.survivors().count();
    }

    private static Expectation narrowestFor(FindingGroups finding, List<Integer> devices) {
        SurvivorGroup first = finding.first();
        Expectation entry = Expectation.because(REASON)
                .type(first.type())
                .atMost(finding.survivors().count());
        List<Integer> holding = List.copyOf(finding.survivorsByDevice().keySet());
        if (holding.size() == 1 || !holding.equals(devices)) {
            entry = entry.devices(DeviceSet.of(holding));
        }
        if (finding.survivors()
                .allMatch(survivor ->
                        survivor.reports().get(0).size() == survivor.buffer().size())) {
            LongSummaryStatistics sizes =
                    finding.groups().stream().mapToLong(SurvivorGroup::size).summaryStatistics();
            entry = entry.sizes(new SizeRange(sizes.getMin(), sizes.getMax()));
        }
        Optional<String> label = first.label().filter(text -> !text.isBlank());
        if (label.isPresent()) {
            entry = entry.label(label.get());
        }
        Optional<OriginPattern> origin = finding.site().flatMap(OriginPattern::of);
        return origin.isPresent() ? entry.origin(origin.get().text()) : entry;
    }

    /** Returns an entry as an annotation. */
    static String annotation(Expectation entry) {
        List<String> attributes = new ArrayList<>();
        entry.type().ifPresent(type -> attributes.add("type = " + type));
        devices(entry.devices()).ifPresent(attributes::add);
        attributes.addAll(sizes(entry.sizes()));
        attributes.addAll(count(entry.count()));
        entry.bytes().ifPresent(most -> attributes.add("bytes = " + most));
        entry.lifetime().ifPresent(lifetime -> attributes.add("lifetime = " + lifetime));
        entry.phase().ifPresent(phase -> attributes.add("phase = " + Quantities.quoted(phase.name())));
        entry.ownerKind().ifPresent(kind -> attributes.add("ownerKind = " + kind));
        entry.owner().ifPresent(part -> attributes.add("owner = " + Quantities.quoted(part)));
        entry.label().ifPresent(label -> attributes.add("label = " + Quantities.quoted(label)));
        entry.origin().ifPresent(origin -> attributes.add("origin = " + Quantities.quoted(origin.text())));
        entry.until().ifPresent(last -> attributes.add("until = " + Quantities.quoted(last.toString())));
        attributes.add("because = " + Quantities.quoted(entry.because()));
        return "@ExpectBuffers(" + String.join(", ", attributes) + ")";
    }

    private static Optional<String> devices(DeviceSet devices) {
        if (devices.isAny()) {
            return Optional.empty();
        }
        return Optional.of(
                devices.ids().size() == 1
                        ? "device = " + devices.ids().get(0)
                        : devices.ids().stream()
                                .map(id -> String.format(Locale.ROOT, "%d", id))
                                .collect(Collectors.joining(", ", "devices = {", "}")));
    }

    private static List<String> sizes(SizeRange sizes) {
        if (sizes.smallest() == sizes.largest()) {
            return List.of("size = " + sizes.smallest());
        }
        List<String> attributes = new ArrayList<>();
        if (sizes.smallest() > 0) {
            attributes.add("minSize = " + sizes.smallest());
        }
        if (sizes.largest() < Long.MAX_VALUE) {
            attributes.add("maxSize = " + sizes.largest());
        }
        return attributes;
    }

    private static List<String> count(Bound count) {
        if (count.atLeast() == count.atMost()) {
            return List.of("exactly = " + count.atMost());
        }
        List<String> attributes = new ArrayList<>();
        if (count.atLeast() > 0) {
            attributes.add("atLeast = " + count.atLeast());
        }
        if (count.atMost() < Long.MAX_VALUE) {
            attributes.add("atMost = " + count.atMost());
        }
        return attributes;
    }
}
