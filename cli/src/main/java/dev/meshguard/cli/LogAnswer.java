package dev.meshguard.cli;

import dev.meshguard.cli.terminal.JsonDocument;
import dev.meshguard.cli.terminal.Table;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.server.log.AddressUse;
import dev.meshguard.server.log.ParsedLog;
import dev.meshguard.server.log.UnreadLines;
import dev.meshguard.text.Quantities;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The output of a command about a log of an allocation server. */
final class LogAnswer extends HistoryAnswer {

    /** Matches a name that means itself in each shell. */
    private static final Pattern PLAIN_WORD =
            Pattern.compile(File.separatorChar == '\\' ? "[\\w@+=:,.\\\\/-]+" : "[\\w@+=:,./-]+");

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

    private final ParsedLog log;

    LogAnswer(Input.Recording file, ParsedLog log, VerdictReport report, boolean hasRounds) {
        super(file, withPage(report, log.name()), hasRounds);
        this.log = log;
    }

    /** Names the command that writes the page of the leaks. */
    private static VerdictReport withPage(VerdictReport report, String name) {
        boolean hasPage = !report.verdict().groups().isEmpty() && Files.isRegularFile(Path.of(name));
        return hasPage ? report.shownAt("meshguard page " + forShell(name)) : report;
    }

    /** Returns a file's name as one word of a shell; a Windows shell knows double quotes only. */
    private static String forShell(String name) {
        if (PLAIN_WORD.matcher(name).matches()) {
            return name;
        }
        return File.separatorChar == '\\' ? '"' + name + '"' : "'" + name.replace("'", "'\\''") + "'";
    }

    // The text

    @Override
    String description() {
        return Quantities.count(log.lines(), "line") + ", " + reporting(log.reports());
    }

    @Override
    Stream<List<String>> sections(String verdict) {
        return Stream.of(linesOfEvents(verdict), growth(), sums(), addresses(), unread());
    }

    /** Returns where the events that the verdict names are in the log. */
    private List<String> linesOfEvents(String verdict) {
        Set<Long> events = new TreeSet<>();
        EVENT.matcher(verdict).results().forEach(event -> events.add(Long.parseLong(event.group(1))));
        String where = events.stream()
                .filter(number -> log.lineOf(number).isPresent())
                .limit(MAX_EVENTS)
                .map(number -> "#" + number + " line " + log.lineOf(number).getAsLong())
                .collect(Collectors.joining(", "));
        return where.isEmpty()
                ? List.of()
                : List.of("Events in the log: " + where + (events.size() > MAX_EVENTS ? " …" : ""));
    }

    private List<String> sums() {
        long differ = log.differingStatistics();
        String result = differ == 0 ? "all agree" : differ + (differ == 1 ? " differs" : " differ");
        return log.comparedStatistics() == 0
                ? List.of()
                : List.of("Sums of the server: " + log.comparedStatistics() + " compared with the lines, " + result);
    }

    private List<String> addresses() {
        List<AddressUse> all = log.addresses();
        if (all.isEmpty()) {
            return List.of();
        }
        long even = all.stream().filter(use -> use.surplus() == 0).count();
        long less = all.stream().filter(use -> use.surplus() > 0).count();
        Table table = new Table().row("device", "address", "type", "allocated", "freed", "largest", "lines");
        all.stream()
                .sorted(LEAST_BALANCED_FIRST)
                .limit(MAX_ADDRESSES)
                .forEach(use -> table.row(
                        use.device(),
                        Quantities.address(use.address()),
                        use.type(),
                        use.allocated(),
                        use.freed(),
                        Quantities.size(use.largestSize()),
                        new UnreadLines.Range(use.firstLine(), use.lastLine())));
        String headline = "Addresses: " + all.size() + ", of which " + even + " as often freed as allocated, " + less
                + " less often, " + (all.size() - even - less) + " more often";
        return section(headline, table, all.size() - MAX_ADDRESSES);
    }

    private List<String> unread() {
        UnreadLines unread = log.unread();
        if (unread.count() == 0) {
            return List.of("Every line was read.");
        }
        List<String> lines = new ArrayList<>();
        lines.add("Not read: " + unread.count() + " of " + Quantities.count(log.lines(), "line") + ": "
                + unread.numbers(MAX_RANGES));
        unread.samples().stream()
                .limit(MAX_SAMPLES)
                .forEach(sample -> lines.add("  line " + sample.line() + ": " + sample.text()));
        return lines;
    }

    // The JSON

    @Override
    Map<String, Object> content() {
        // The verdict refers to events by number; the line of event 1 comes first.
        Iterable<Long> eventLines = () -> LongStream.iterate(1, event -> event + 1)
                .mapToObj(log::lineOf)
                .takeWhile(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .iterator();
        return JsonDocument.object(
                "lines", log.lines(),
                "reports", log.reports(),
                "comparedStatistics", log.comparedStatistics(),
                "differingStatistics", log.differingStatistics(),
                "rounds", rounds(),
                "addresses", log.addresses(),
                "unread", log.unread(),
                "eventLines", eventLines);
    }
}
