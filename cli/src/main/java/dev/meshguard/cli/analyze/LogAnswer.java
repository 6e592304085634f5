package dev.meshguard.cli.analyze;

import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.cli.common.Table;
import dev.meshguard.event.Quantities;
import dev.meshguard.server.log.AddressUse;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.server.log.FreedMemory;
import dev.meshguard.server.log.LogDialect;
import dev.meshguard.server.log.UnreadLines;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The answer about a log.
 *
 * @param log the log
 * @param judgement the verdict on it
 */
record LogAnswer(AllocationLog log, FileVerdict judgement) {

    private static final Pattern EVENT = Pattern.compile("#(\\d{1,18})");
    private static final int MAX_ADDRESSES = 10;
    private static final int MAX_EVENTS = 12;
    private static final int MAX_RANGES = 8;
    private static final int MAX_SAMPLES = 3;

    private static final Comparator<AddressUse> LEAST_BALANCED_FIRST = Comparator.comparingLong(
                    (AddressUse use) -> -Math.abs(use.surplus()))
            .thenComparingLong(use -> -use.allocated())
            .thenComparingLong(use -> -use.largestSize())
            .thenComparingInt(AddressUse::device)
            .thenComparing(AddressUse::address, Long::compareUnsigned);

    /** Returns the answer. */
    FileAnswer answer() {
        return judgement.answer(FileAnswer.Kind.LOG, log.name(), headline(), this::addSections, this::write);
    }

    // The text

    private void addSections(List<String> lines) {
        linesOfEvents(lines);
        judgement.addRounds(lines);
        sums(lines);
        freed(lines);
        addresses(lines);
        unread(lines);
    }

    private String headline() {
        String dialects =
                log.dialects().stream().sorted().map(LogDialect::description).collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "%s: %s, %d of them %s a buffer%s",
                log.name(),
                Quantities.count(log.lines(), "line"),
                log.reports(),
                log.reports() == 1 ? "reports" : "report",
                dialects.isEmpty() ? "" : " (" + dialects + ")");
    }

    /** Adds where the events that the verdict names are in the log. */
    private void linesOfEvents(List<String> lines) {
        Set<Long> events = new TreeSet<>();
        Matcher event = EVENT.matcher(judgement.report().text());
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

    private void sums(List<String> lines) {
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

    private void freed(List<String> lines) {
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

    private void addresses(List<String> lines) {
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
        List<AddressUse> shown = first(all);
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
            lines.add(String.format(Locale.ROOT, "  … and %d more; --json shows all", all.size() - shown.size()));
        }
    }

    /** Returns the first elements in the displayed order, without sorting the hundred thousand others. */
    private List<AddressUse> first(List<AddressUse> all) {
        PriorityQueue<AddressUse> lastOnTop = new PriorityQueue<>(LEAST_BALANCED_FIRST.reversed());
        for (AddressUse use : all) {
            if (lastOnTop.size() < MAX_ADDRESSES) {
                lastOnTop.add(use);
            } else if (LEAST_BALANCED_FIRST.compare(use, lastOnTop.element()) < 0) {
                lastOnTop.remove();
                lastOnTop.add(use);
            }
        }
        return lastOnTop.stream().sorted(LEAST_BALANCED_FIRST).toList();
    }

    private static String lines(AddressUse use) {
        return new UnreadLines.Range(use.firstLine(), use.lastLine()).toString();
    }

    private void unread(List<String> lines) {
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

    // The JSON

    private void write(JsonDocument json) throws IOException {
        json.field("lines", log.lines());
        json.field("reports", log.reports());
        json.field("dialects", log.dialects().stream().sorted().toList());
        json.field("comparedStatistics", log.comparedStatistics());
        json.field("differingStatistics", log.differingStatistics());
        json.field("lastDumpLine", log.lastDump());
        judgement.writeRounds(json);
        json.objects("freed", log.freed(), freed -> {
            json.field("type", freed.type());
            json.field("phase", freed.phase().name());
            json.field("beforeCheck", freed.beforeCheck());
            json.field("buffers", freed.buffers());
            json.field("bytes", freed.bytes());
        });
        json.objects("addresses", log.addresses(), use -> {
            json.field("device", use.device());
            json.field("address", use.address());
            json.field("type", use.type());
            json.field("allocated", use.allocated());
            json.field("freed", use.freed());
            json.field("unknownFrees", use.unknownFrees());
            json.field("largestSize", use.largestSize());
            json.field("sizeChanges", use.sizeChanges());
            json.field("processDied", use.processDied());
            json.field("firstLine", use.firstLine());
            json.field("lastLine", use.lastLine());
        });
        json.object("unread", log.unread(), unread -> {
            json.field("count", unread.count());
            json.objects("ranges", unread.ranges(), range -> {
                json.field("first", range.first());
                json.field("last", range.last());
            });
            json.objects("samples", unread.samples(), sample -> {
                json.field("line", sample.line());
                json.field("text", sample.text());
            });
        });
        // The verdict refers to events by number; the line of event 1 comes first.
        json.numbers(
                "eventLines",
                LongStream.iterate(1, event -> event + 1)
                        .mapToObj(log::lineOf)
                        .takeWhile(OptionalLong::isPresent)
                        .mapToLong(OptionalLong::getAsLong));
    }
}
