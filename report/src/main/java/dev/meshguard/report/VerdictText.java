package dev.meshguard.report;

import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.report.VerdictReport.Finding;
import dev.meshguard.report.VerdictReport.Section;
import dev.meshguard.report.VerdictReport.TeardownRow;
import dev.meshguard.report.VerdictReport.TimelineRow;
import dev.meshguard.report.VerdictReport.TrackedRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Lays a {@link VerdictReport} out as plain text of bounded length: the same characters in every locale and on every terminal. */
final class VerdictText {

    /** A failure that does not fit on a screen is not read. */
    static final int MAX_LINES = 40;

    /** The minimum number of lines for findings, regardless of other content. */
    private static final int MIN_FINDING_LINES = 12;

    /** Additional lines for each section after the first: a headline alone is not useful. */
    private static final int MORE_FOR_A_SECTION = 3;

    /** With this limit the text always fits: five sections with a finding each, and a line for each other kind. */
    private static final int MAX_REMEDIES = 6;

    private static final int MAX_TRACKED_ROWS = 8;

    private static final int BAR = 30;
    private static final String INDENT = "   ";

    private VerdictText() {}

    static String render(VerdictReport report) {
        int fewest =
                neededLines(report, MIN_FINDING_LINES + (withFindings(report.sections()) - 1) * MORE_FOR_A_SECTION);
        List<String> middle = tracked(report.tracked());
        int room = MAX_LINES - frame(report) - middle.size();
        List<String> closing = closing(report, report.notes(), room - fewest);
        if (room - closing.size() - report.bufferNotes().size() >= neededLines(report, room)) {
            List<String> notes = Stream.concat(report.notes().stream(), report.bufferNotes().stream())
                    .toList();
            closing = closing(report, notes, room - fewest);
        }
        int free = room - closing.size();
        for (List<String> table : List.of(teardown(report.teardown()), timeline(report.timeline()))) {
            if (free - table.size() >= fewest) {
                middle.addAll(table);
                free -= table.size();
            }
        }
        List<String> lines = new ArrayList<>();
        appendSections(lines, report.sections(), free);
        if (!middle.isEmpty()) {
            lines.add("");
            lines.addAll(middle);
        }
        if (!closing.isEmpty()) {
            lines.add("");
            lines.addAll(closing);
        }
        return PrintableText.lines(lines);
    }

    /**
     * Returns the number of lines of the findings, up to a maximum: most of thousands are not shown and need not be
     * written.
     */
    private static int neededLines(VerdictReport report, int most) {
        int wanted = 0;
        for (Section section : report.sections()) {
            for (Finding finding : section.findings()) {
                wanted += lines(finding, 1).size();
                if (wanted >= most) {
                    return most;
                }
            }
        }
        return wanted;
    }

    /** The headlines and the empty lines. */
    private static int frame(VerdictReport report) {
        return report.sections().size() * 2 + 1;
    }

    private static int withFindings(List<Section> sections) {
        return (int) sections.stream()
                .filter(section -> !section.findings().isEmpty())
                .count();
    }

    private static void appendSections(List<String> lines, List<Section> sections, int mostLines) {
        int room = mostLines;
        int number = 1;
        int waiting = withFindings(sections);
        for (Section section : sections) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.add(section.headline());
            int shown = 0;
            waiting -= section.findings().isEmpty() ? 0 : 1;
            for (Finding finding : section.findings()) {
                List<String> one = lines(finding, number);
                boolean last = shown == section.findings().size() - 1;
                if (one.size() + (last ? 0 : 1) + waiting > room) {
                    if (!last) {
                        break;
                    }
                    one = one.subList(0, 1); // The line "one more" needs as much room as the omitted line itself.
                }
                lines.addAll(one);
                room -= one.size();
                shown++;
                number++;
            }
            List<Finding> cut =
                    section.findings().subList(shown, section.findings().size());
            if (!cut.isEmpty()) {
                long buffers = FindingList.buffers(section.findings(), shown);
                lines.add("… and " + cut.size() + " more"
                        + (buffers == 0 ? "" : " (" + Quantities.count(buffers, "buffer") + ")"));
                room--;
            }
        }
    }

    private static List<String> lines(Finding finding, int number) {
        List<String> lines = new ArrayList<>();
        lines.add(number + ". " + finding.title());
        finding.site().ifPresent(site -> lines.add(INDENT + "-> at " + site));
        finding.facts().forEach(fact -> lines.add(INDENT + fact));
        return lines;
    }

    /** Remedies come last, next to the prompt where the reader continues. */
    private static List<String> closing(VerdictReport report, List<String> allNotes, int mostLines) {
        Optional<String> page = report.page().map(place -> "Page: " + place);
        List<String> advice = cut(report.remedies(), MAX_REMEDIES - (page.isPresent() ? 1 : 0), "remedies");
        report.expectationSnippet().ifPresent(entry -> {
            advice.add("To expect a buffer (narrowest first):");
            advice.add(INDENT + entry.annotation());
            advice.add(INDENT + "as a line of a file: " + entry.line());
        });
        Optional<String> reproduction = report.reproduction().map(command -> "Reproduce: " + command);
        int room = mostLines - advice.size() - (reproduction.isPresent() ? 1 : 0) - (page.isPresent() ? 1 : 0);
        List<String> notes = cut(
                allNotes.stream().map(note -> "Note: " + note).toList(),
                room - Math.min(1, report.expectations().size()),
                "notes");
        List<String> lines = cut(report.expectations(), room - notes.size(), "expectations");
        lines.addAll(advice);
        lines.addAll(notes);
        page.ifPresent(lines::add);
        reproduction.ifPresent(lines::add);
        return lines;
    }

    /**
     * Omitted lines are counted. The line with the count is always present, and takes as much room as one more line.
     */
    private static List<String> cut(List<String> lines, int mostLines, String what) {
        if (lines.size() <= Math.max(1, mostLines)) {
            return new ArrayList<>(lines);
        }
        List<String> rest = new ArrayList<>(lines.subList(0, Math.max(0, mostLines - 1)));
        rest.add("… and " + (lines.size() - rest.size()) + " more " + what);
        return rest;
    }

    private static List<String> tracked(List<TrackedRow> rows) {
        List<String[]> table = new ArrayList<>();
        table.add(new String[] {"Tracked", "allocated", "remaining"});
        rows.forEach(row -> table.add(new String[] {row.type(), row.allocated(), row.remaining()}));
        return rows.isEmpty()
                ? new ArrayList<>(List.of("Tracked: nothing was allocated"))
                : cut(aligned(table), MAX_TRACKED_ROWS + 1, "sorts of memory");
    }

    private static List<String> teardown(List<TeardownRow> rows) {
        List<String[]> table = new ArrayList<>();
        table.add(new String[] {"Teardown", "freed", "remaining"});
        rows.forEach(row -> table.add(new String[] {row.step(), row.freed(), row.remaining()}));
        return rows.isEmpty() ? List.of() : aligned(table);
    }

    private static List<String> aligned(List<String[]> table) {
        int first = width(table, row -> row[0]);
        int second = width(table, row -> row[1]);
        return table.stream()
                .map(row -> padded(row[0], first) + "  " + padded(row[1], second) + "  " + row[2])
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static List<String> timeline(List<TimelineRow> rows) {
        long most = rows.stream().mapToLong(TimelineRow::peakBytes).max().orElse(0);
        if (most == 0) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        int phase = Math.max(8, width(rows, TimelineRow::phase));
        lines.add(
                padded("Timeline", phase) + "  " + padded("live bytes, peak of the phase", BAR + 2) + "  peak -> end");
        for (TimelineRow row : rows) {
            int marks = (int) Math.max(row.peakBytes() > 0 ? 1 : 0, Math.round((double) row.peakBytes() * BAR / most));
            lines.add(padded(row.phase(), phase) + "  |" + padded("#".repeat(marks), BAR) + "|  "
                    + Quantities.shortSize(row.peakBytes()) + " -> " + Quantities.shortSize(row.endBytes()));
        }
        return lines;
    }

    private static <T> int width(List<T> rows, Function<T, String> cell) {
        return rows.stream().mapToInt(row -> cell.apply(row).length()).max().orElse(0);
    }

    private static String padded(String text, int width) {
        return text + String.join("", Collections.nCopies(Math.max(0, width - text.length()), " "));
    }
}
