package dev.meshguard.report;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.text.FrameName;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.expectation.Bound;
import dev.meshguard.verdict.expectation.DeviceSet;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.OriginPattern;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The expectation entries that a user can paste for the findings of a verdict, as an annotation and as a line of a file.
 *
 * <p>An entry admits the buffers of its finding and no other finding's. A pattern for code knows methods, not lines, so a
 * finding of another line of the same method may match too. Then there is no entry.
 *
 * <p>Indexes the survivors when it is created: use one object for all findings of a verdict. Immutable and safe for use by
 * several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class ExpectationSnippets {

    /**
     * The narrowest entry that expects the buffers of a finding.
     *
     * @param annotation as an annotation
     * @param line as a line of a file
     */
    public record ExpectationSnippet(String annotation, String line) {}

    /** The user must replace it with a reason. */
    private static final String REASON = "…";

    private final MemoryNames names;
    private final List<Integer> devices;
    private final List<Survivor> unexpected;

    /**
     * The same survivors by size and by the names of the methods and classes on their stacks, one of which is the last of each
     * pattern that matches: ten thousand findings ask for their own entry.
     */
    private final Map<Object, List<Survivor>> byTerm = new HashMap<>();

    private ExpectationSnippets(LeakVerdict verdict) {
        this.names = new MemoryNames(verdict.history());
        this.devices = devices(verdict.history());
        this.unexpected = verdict.survivors(one -> one.status() != SurvivorStatus.EXPECTED);
        Map<StackTraceElement, List<String>> namesByFrame = new HashMap<>();
        for (Survivor survivor : unexpected) {
            Report report = survivor.reports().get(0);
            add(report.size(), survivor);
            report.request().origin().stream()
                    .flatMap(origin -> origin.frames().stream())
                    .flatMap(frame -> namesByFrame.computeIfAbsent(frame, ExpectationSnippets::namesOf).stream())
                    .distinct()
                    .forEach(name -> add(name, survivor));
        }
    }

    private void add(Object term, Survivor survivor) {
        byTerm.computeIfAbsent(term, unused -> new ArrayList<>()).add(survivor);
    }

    private static List<String> namesOf(StackTraceElement frame) {
        FrameName name = FrameName.of(frame);
        List<String> all = new ArrayList<>(name.classes());
        all.add(name.plainMethod());
        return all;
    }

    /** Returns the entries for the findings of a verdict. */
    public static ExpectationSnippets of(LeakVerdict verdict) {
        return new ExpectationSnippets(verdict);
    }

    /** Returns the narrowest entry for a group of survivors, if it admits no other buffer of the verdict. */
    public Optional<ExpectationSnippet> narrowest(SurvivorGroup group) {
        return narrowest(List.of(group));
    }

    /** Returns the narrowest entry for a finding, if it admits no other buffer of the verdict. */
    public Optional<ExpectationSnippet> narrowest(SurvivorFinding finding) {
        return narrowest(finding.groups().toList());
    }

    private Optional<ExpectationSnippet> narrowest(List<SurvivorGroup> groups) {
        if (!groups.stream()
                .allMatch(group -> group.status().isDefect() && isOneThing(group) && hasPossibleDevices(group))) {
            return Optional.empty();
        }
        List<Survivor> admitted =
                groups.stream().flatMap(group -> group.survivors().stream()).toList();
        Expectation entry = narrowestFor(groups.get(0), admitted);
        return admitsOnly(admitted, entry) ? Optional.of(snippet(entry)) : Optional.empty();
    }

    /** Returns all devices, ascending. */
    private static List<Integer> devices(AllocationHistory history) {
        TreeSet<Integer> devices = new TreeSet<>(history.devices());
        history.meshes().forEach(mesh -> devices.addAll(mesh.devices()));
        devices.remove(HistoryEvent.NO_DEVICE);
        return List.copyOf(devices);
    }

    /** A history that was created by hand may contain devices that no entry can name. */
    private static boolean hasPossibleDevices(SurvivorGroup group) {
        return group.devices().stream().allMatch(device -> device >= 0 && device <= HistoryEvent.MAX_DEVICE);
    }

    /** No entry matches several buffers of several requests at one address; one of them must be freed first. */
    private static boolean isOneThing(SurvivorGroup group) {
        return group.survivors().stream().allMatch(survivor -> {
            List<Report> left = survivor.reports();
            return left.stream().allMatch(report -> report.details().kind() == BufferKind.CIRCULAR_BUFFER)
                    || left.stream()
                            .allMatch(report ->
                                    report.request().equals(left.get(0).request()));
        });
    }

    private boolean admitsOnly(List<Survivor> admitted, Expectation entry) {
        Set<BufferGeneration> own = Collections.newSetFromMap(new IdentityHashMap<>());
        admitted.forEach(survivor -> own.add(survivor.buffer()));
        return own.stream().allMatch(buffer -> entry.fits(buffer))
                && candidates(entry).stream()
                        .filter(survivor -> hasSizeAndLabel(survivor.reports().get(0), entry))
                        .map(Survivor::buffer)
                        .noneMatch(buffer -> !own.contains(buffer) && entry.fits(buffer));
    }

    /** Returns all survivors that an entry for a finding may admit. */
    private List<Survivor> candidates(Expectation entry) {
        if (entry.origin().isPresent()) {
            String[] pattern = entry.origin().get().text().split("[.$]", -1);
            return byTerm.getOrDefault(pattern[pattern.length - 1], List.of());
        }
        return entry.size().isPresent() ? byTerm.getOrDefault(entry.size().getAsLong(), List.of()) : unexpected;
    }

    /** These terms are the cheapest to compare. */
    private static boolean hasSizeAndLabel(Report report, Expectation entry) {
        return entry.size().orElse(report.size()) == report.size()
                && (entry.label().isEmpty()
                        || entry.label().equals(report.details().label()));
    }

    private Expectation narrowestFor(SurvivorGroup first, List<Survivor> admitted) {
        Expectation entry = Expectation.because(REASON).atMost(admitted.size());
        if (names.hasDevice(first.first().buffer())) {
            entry = entry.type(first.type());
            List<Integer> holding = admitted.stream()
                    .map(survivor -> survivor.buffer().device())
                    .distinct()
                    .sorted()
                    .toList();
            if (holding.size() == 1 || !holding.equals(devices)) {
                entry = entry.devices(DeviceSet.of(holding));
            }
        }
        if (admitted.stream()
                .allMatch(survivor -> !survivor.buffer().isOfUnknownSize()
                        && survivor.reports().get(0).size() == first.size())) {
            entry = entry.size(first.size());
        }
        return withLabelAndOrigin(entry, first.label(), first.origin());
    }

    private static Expectation withLabelAndOrigin(Expectation entry, Optional<String> label, Optional<Origin> origin) {
        Expectation labelled =
                label.filter(text -> !text.isBlank()).map(entry::label).orElse(entry);
        return origin.flatMap(Origin::site)
                .flatMap(OriginPattern::of)
                .map(pattern -> labelled.origin(pattern.text()))
                .orElse(labelled);
    }

    /** Returns an entry as a user can paste it. */
    static ExpectationSnippet snippet(Expectation entry) {
        return new ExpectationSnippet(annotation(entry), entry.toText());
    }

    /** Returns the entry that permits that the data of a buffer is overwritten, on as many devices. */
    static ExpectationSnippet ofOverwritten(BufferGeneration buffer, int devices) {
        Expectation entry = Expectation.because(REASON)
                .type(buffer.type())
                .size(buffer.size())
                .atMost(devices)
                .overwritten();
        return snippet(
                withLabelAndOrigin(entry, buffer.label(), buffer.request().origin()));
    }

    /** Returns an entry as an annotation. */
    static String annotation(Expectation entry) {
        List<String> attributes = new ArrayList<>();
        entry.type().ifPresent(type -> attributes.add("type = " + type));
        devices(entry.devices()).ifPresent(attributes::add);
        entry.size().ifPresent(size -> attributes.add("size = " + size));
        attributes.addAll(count(entry.count()));
        entry.owner().ifPresent(part -> attributes.add("owner = " + Quantities.quoted(part)));
        entry.label().ifPresent(label -> attributes.add("label = " + Quantities.quoted(label)));
        entry.origin().ifPresent(origin -> attributes.add("origin = " + Quantities.quoted(origin.text())));
        entry.until().ifPresent(last -> attributes.add("until = " + Quantities.quoted(last.toString())));
        if (entry.isForOverwritten()) {
            attributes.add("overwritten = true");
        }
        attributes.add("because = " + Quantities.quoted(entry.because()));
        return "@ExpectBuffers(" + String.join(", ", attributes) + ")";
    }

    private static Optional<String> devices(DeviceSet devices) {
        if (devices.isAny()) {
            return Optional.empty();
        }
        String ids = devices.ids().stream().map(String::valueOf).collect(Collectors.joining(", "));
        return Optional.of(devices.ids().size() == 1 ? "device = " + ids : "devices = {" + ids + "}");
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
