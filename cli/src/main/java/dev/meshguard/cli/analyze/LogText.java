package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.Table;
import dev.meshguard.event.Quantities;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.server.log.AddressUse;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.server.log.FreedMemory;
import dev.meshguard.server.log.LogDialect;
import dev.meshguard.server.log.UnreadLines;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The terminal output of {@code analyze} for one log. */
final class LogText {

    private static final Pattern EVENT = Pattern.compile("#(\\d{1,18})");
    private static final int MAX_EVENTS = 12;
    private static final int MAX_RANGES = 8;
    private static final int MAX_SAMPLES = 3;

    private static final Comparator<AddressUse> LEAST_BALANCED_FIRST = Comparator.comparingLong(
                    (AddressUse use) -> -Math.abs(use.surplus()))
            .thenComparingLong(use -> -use.allocated())
            .thenComparingLong(use -> -use.largestSize())
            .thenComparingInt(AddressUse::device)
            .thenComparing(AddressUse::address, Long::compareUnsigned);

    private final LogAnalysis analysis;
    private final AllocationLog log;
    private final int mostAddresses;
    private final List<String> lines = new ArrayList<>();

    LogText(LogAnalysis analysis, int mostAddresses) {
        this.analysis = analysis;
        this.log = analysis.log();
        this.mostAddresses = mostAddresses;
    }

    List<String> lines() {
        head();
        verdict();
        rounds(analysis, lines);
        sums();
        freed();
        addresses();
        unread();
        return lines;
    }

    private void head() {
        String dialects =
                log.dialects().stream().sorted().map(LogDialect::description).collect(Collectors.joining(", "));
        lines.add(String.format(
                Locale.ROOT,
                "%s: %s, %d of them %s a buffer%s",
                log.name(),
                Quantities.count(log.lines(), "line"),
                log.reports(),
                log.reports() == 1 ? "reports" : "report",
                dialects.isEmpty() ? "" : " (" + dialects + ")"));
        lines.add("");
    }

    private void verdict() {
        String text = analysis.report().text();
        text.lines().forEach(lines::add);
        Set<Long> events = new TreeSet<>();
        Matcher event = EVENT.matcher(text);
        while (event.find()) {
            events.add(Long.parseLong(event.group(1)));
        }
        String where = events.stream()
                .filter(number -> log.lineOf(number).isPresent())
                .limit(MAX_EVENTS)
                .map(number -> "#" + number + " line " + log.lineOf(number).getAsLong())
                .collect(Collectors.joining(", "));
        if (!where.isEmpty()) {
            lines.add("");
            lines.add("Events in the log: " + where + (events.size() > MAX_EVENTS ? " …" : ""));
        }
    }

    /** Adds the growth over the rounds, if there are any. */
    static void rounds(JudgedAnalysis analysis, List<String> lines) {
        analysis.accumulation().ifPresent(accumulation -> {
            lines.add("");
            AccumulationReport.of(accumulation).text().lines().forEach(lines::add);
        });
    }

    private void sums() {
        if (log.comparedStatistics() > 0) {
            long differ = log.differingStatistics();
            lines.add("");
            lines.add(String.format(
                    Locale.ROOT,
                    "Sums of the server: %d compared with the lines, %s",
                    log.comparedStatistics(),
                    differ == 0 ? "all agree" : differ + (differ == 1 ? " differs" : " differ")));
        }
    }

    private void freed() {
        List<FreedMemory> freed = log.freed();
        String check = log.lastDump().isPresent()
                ? ", last dump at line " + log.lastDump().getAsLong()
                : "";
        lines.add("");
        lines.add("Freed" + check + (freed.isEmpty() ? ": nothing" : ":"));
        if (!freed.isEmpty()) {
            Table table = new Table().row("type", "phase", "when", "freed", "size");
            freed.forEach(row -> table.row(
                    row.type().map(Object::toString).orElse("of no allocation in the log"),
                    row.phase(),
                    row.beforeCheck() ? "before the check" : "after the check",
                    Quantities.count(row.buffers(), "buffer"),
                    Quantities.size(row.bytes())));
            lines.addAll(table.lines());
        }
    }

    private void addresses() {
        List<AddressUse> all = log.addresses();
        if (all.isEmpty()) {
            return;
        }
        lines.add("");
        long even = 0;
        long less = 0;
        for (AddressUse use : all) {
            even += use.surplus() == 0 ? 1 : 0;
            less += use.surplus() > 0 ? 1 : 0;
        }
        lines.add(String.format(
                Locale.ROOT,
                "Addresses: %d, of which %d as often freed as allocated, %d less often, %d more often",
                all.size(),
                even,
                less,
                all.size() - even - less));
        List<AddressUse> shown = first(all, mostAddresses);
        if (shown.isEmpty()) {
            return;
        }
        Table table = new Table().row("device", "address", "type", "allocated", "freed", "unknown", "largest", "lines");
        shown.forEach(use -> table.row(
                use.device(),
                Quantities.address(use.address()),
                use.type().map(Object::toString).orElse("-"),
                use.allocated(),
                use.freed(),
                use.unknownFrees(),
                Quantities.size(use.largestSize()),
                lines(use) + (use.processDied() ? ", process died" : "")));
        lines.addAll(table.lines());
        if (all.size() > shown.size()) {
            lines.add(String.format(
                    Locale.ROOT, "  … and %d more; --addresses N shows N, --json all", all.size() - shown.size()));
        }
    }

    /** Returns the first elements in the displayed order, without sorting the hundred thousand others. */
    private static List<AddressUse> first(List<AddressUse> all, int most) {
        PriorityQueue<AddressUse> lastOnTop = new PriorityQueue<>(LEAST_BALANCED_FIRST.reversed());
        for (AddressUse use : all) {
            if (lastOnTop.size() < most) {
                lastOnTop.add(use);
            } else if (most > 0 && LEAST_BALANCED_FIRST.compare(use, lastOnTop.element()) < 0) {
                lastOnTop.remove();
                lastOnTop.add(use);
            }
        }
        return lastOnTop.stream().sorted(LEAST_BALANCED_FIRST).toList();
    }

    private static String lines(AddressUse use) {
        return new UnreadLines.Range(use.firstLine(), use.lastLine()).toString();
    }

    private void unread() {
        UnreadLines unread = log.unread();
        lines.add("");
        if (unread.count() == 0) {
            lines.add("Every line was read.");
            return;
        }
        lines.add(String.format(
                Locale.ROOT,
                "Not read: %d of %s: %s",
                unread.count(),
                Quantities.count(log.lines(), "line"),
                unread.numbers(MAX_RANGES)));
        unread.samples().stream()
                .limit(MAX_SAMPLES)
                .forEach(sample -> lines.add("  line " + sample.line() + ": " + sample.text()));
    }
}
