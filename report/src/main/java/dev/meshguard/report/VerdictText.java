package dev.meshguard.report;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.Finding.Fact;
import dev.meshguard.report.VerdictReport.Section;
import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.LeakVerdict.Sum;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Lays a {@link VerdictReport} out as plain text of bounded length: the same characters in every locale and on every terminal. */
final class VerdictText {

    /** The width of a line, except of those that a user clicks or copies: frames, entries, pages and commands. */
    static final int MAX_COLUMNS = 120;

    /** The minimum number of lines for findings, regardless of other content. */
    private static final int MIN_FINDING_LINES = 12;

    private static final String INDENT = "   ";
    private static final String AT = INDENT + "at ";
    private static final String CONTINUED = " ".repeat(9);

    private VerdictText() {}

    /** Returns the findings, and what to do about them. */
    static String render(VerdictReport report) {
        int needed = MIN_FINDING_LINES
                + report.sections().stream()
                        .skip(1)
                        .mapToInt(VerdictText::minLines)
                        .sum();
        int headlinesAndEmptyLines = report.sections().size() * 2 + 1;
        int room = TruncatedText.MAX_LINES - headlinesAndEmptyLines;
        List<String> closing = closing(report, room - neededLines(report, needed));
        List<String> lines = new ArrayList<>();
        appendSections(lines, report.sections(), room - closing.size());
        if (lines.size() > 1) {
            lines.add("");
        }
        lines.addAll(closing);
        return PrintableText.lines(lines);
    }

    /**
     * Returns the number of lines of the findings, up to a maximum: most of thousands are not shown and need not be
     * written.
     */
    private static int neededLines(VerdictReport report, int most) {
        int wanted = 0;
        for (Section section : report.sections()) {
            wanted += factLines(section.facts()).size();
            for (Finding finding : section.findings()) {
                if (wanted >= most) {
                    return most;
                }
                wanted += lines(finding, 1, Common.NOTHING).size();
            }
        }
        return Math.min(wanted, most);
    }

    /** Returns the number of lines below a headline that a section has at least: it is of no use alone. */
    private static int minLines(Section section) {
        return (section.facts().isEmpty() ? 0 : 1)
                + Math.min(2, section.findings().size());
    }

    // Findings

    /**
     * The line and the fix that all findings of a section share; each is written once.
     *
     * @param site the line that allocated their buffers, if their callers differ
     * @param fix how to fix them
     */
    private record Common(Optional<String> site, Optional<String> fix) {

        /** Nothing is shared, or there is no room to say so. */
        static final Common NOTHING = new Common(Optional.empty(), Optional.empty());

        static Common of(List<Finding> findings) {
            if (findings.size() < 2) {
                return NOTHING;
            }
            boolean allHaveCallers =
                    findings.stream().allMatch(finding -> finding.sites().size() > 1);
            return new Common(
                    allHaveCallers ? same(findings, finding -> finding.sites().get(0)) : Optional.empty(),
                    same(findings, finding -> finding.fix().orElse("")));
        }

        List<String> fixLines() {
            return fix.map(text -> entry("fix", text)).orElse(List.of());
        }

        private static Optional<String> same(List<Finding> findings, Function<Finding, String> property) {
            List<String> distinct =
                    findings.stream().map(property).distinct().limit(2).toList();
            return distinct.size() == 1
                    ? Optional.of(distinct.get(0)).filter(text -> !text.isEmpty())
                    : Optional.empty();
        }
    }

    private static void appendSections(List<String> lines, List<Section> sections, int mostLines) {
        int room = mostLines;
        int number = 1;
        int waiting = sections.stream().mapToInt(VerdictText::minLines).sum();
        for (Section section : sections) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.add(section.headline());
            if (minLines(section) == 0) {
                continue;
            }
            if (sections.size() == 1) {
                lines.add("");
            }
            waiting -= minLines(section);
            int before = lines.size();
            number += append(lines, section, number, room - waiting);
            room -= lines.size() - before;
        }
    }

    /** Appends what a section has below its headline, and returns the number of findings that are shown. */
    private static int append(List<String> lines, Section section, int number, int budget) {
        List<Finding> findings = section.findings();
        int before = lines.size();
        Common common = commonThatFits(section, number, budget);
        List<String> fix = common.fixLines();
        lines.addAll(cut(factLines(section.facts()), budget - minFindingLines(findings, number, common), "lines"));
        String all = findings.size() == 2 ? "both" : "all";
        common.site().ifPresent(site -> lines.add(all + " at " + site + ", called from:"));
        int shown = 0;
        for (Finding finding : findings) {
            List<String> one = lines(finding, number + shown, common);
            boolean last = shown == findings.size() - 1;
            int free = budget - (lines.size() - before) - fix.size() - (last ? 0 : 1);
            if (one.size() > free) {
                int least = last ? heading(finding, number + shown, common).size() : one.size();
                if (shown > 0 && free < least) {
                    break;
                }
                one = one.subList(0, Math.max(1, free)); // The first line of a finding is better than a count.
            }
            lines.addAll(one);
            shown++;
        }
        List<Finding> cut = findings.subList(shown, findings.size());
        if (!cut.isEmpty()) {
            int count = cut.stream().mapToInt(Finding::count).sum();
            lines.add("… and " + count + " more" + amount(cut));
        }
        lines.addAll(fix);
        return shown;
    }

    private static String amount(List<Finding> findings) {
        long buffers = Finding.buffersOf(findings);
        long bytes = Finding.bytesOf(findings);
        return buffers == 0
                ? ""
                : " (" + Quantities.count(buffers, "buffer") + (bytes == 0 ? "" : ", " + Quantities.shortSize(bytes))
                        + ")";
    }

    /** Returns what the findings share, if that leaves room for the first of them with its callers. */
    private static Common commonThatFits(Section section, int number, int budget) {
        Common common = Common.of(section.findings());
        int needed = Math.min(1, section.facts().size()) + minFindingLines(section.findings(), number, common);
        return needed <= budget ? common : Common.NOTHING;
    }

    private static int minFindingLines(List<Finding> findings, int number, Common common) {
        return common.equals(Common.NOTHING)
                ? Math.min(2, findings.size())
                : (common.site().isPresent() ? 1 : 0)
                        + heading(findings.get(0), number, common).size()
                        + 1
                        + common.fixLines().size();
    }

    private static List<String> lines(Finding finding, int number, Common common) {
        List<String> lines = heading(finding, number, common);
        lines.addAll(factLines(finding.facts().stream()
                .filter(fact -> common.fix().isEmpty() || !fact.name().equals(Fact.FIX))
                .toList()));
        return lines;
    }

    private static List<String> heading(Finding finding, int number, Common common) {
        List<String> lines = new ArrayList<>(wrapped(number + ". " + finding.title(), INDENT));
        finding.sites().stream().skip(common.site().isPresent() ? 1 : 0).forEach(site -> lines.add(AT + site));
        return lines;
    }

    /** The name of a fact stands before the first of consecutive ones of that name. */
    private static List<String> factLines(List<Fact> facts) {
        List<String> lines = new ArrayList<>();
        String previous = "";
        for (Fact fact : facts) {
            String name = fact.name().equals(previous) ? "" : fact.name();
            String line = String.format(Locale.ROOT, "%s%-5s %s", INDENT, name, fact.text());
            lines.addAll(isCopied(fact.text()) ? List.of(line) : wrapped(line, CONTINUED));
            previous = fact.name();
        }
        return lines;
    }

    private static boolean isCopied(String text) {
        return text.startsWith("at ") || text.startsWith("@") || text.startsWith("as a line of a file: ");
    }

    /** Breaks a line that is too wide between words; a word that is wider stays whole. */
    private static List<String> wrapped(String line, String indent) {
        List<String> lines = new ArrayList<>();
        String rest = line;
        while (rest.length() > MAX_COLUMNS) {
            int end = rest.lastIndexOf(' ', MAX_COLUMNS);
            if (end <= indent.length()) {
                end = rest.indexOf(' ', MAX_COLUMNS);
            }
            if (end < 0) {
                break;
            }
            lines.add(rest.substring(0, end));
            rest = indent + rest.substring(end + 1);
        }
        lines.add(rest);
        return lines;
    }

    // The end

    /** The last lines stand next to the prompt, where the reader continues. */
    private static List<String> closing(VerdictReport report, int mostLines) {
        List<String> end = new ArrayList<>();
        limit(report).ifPresent(end::add);
        end.add(named("sum", sum(report.verdict())));
        boolean isOne = findings(report) == 1;
        report.expectationSnippet()
                .filter(unused -> isOne || report.page().isEmpty())
                .map(entry -> report.isExpectedByFileOnly() ? entry.line() : entry.annotation())
                .ifPresent(entry -> end.add(named("expect", use(report, isOne) + entry)));
        String hint = isOne || report.expectationSnippet().isEmpty() ? "" : "   (with the entries that expect them)";
        report.page()
                .ifPresent(place ->
                        end.add(named("page", place + (isOne && place.endsWith(".html") ? "#finding-1" : "") + hint)));
        report.reproduction().ifPresent(command -> end.add(named("rerun", command)));
        int room = mostLines - end.size();
        List<String> notes = cut(
                report.notes().stream()
                        .flatMap(note -> entry("note", note).stream())
                        .toList(),
                room - Math.min(1, report.expectations().size()),
                "notes");
        List<String> lines = cut(report.expectations(), room - notes.size(), "expectations");
        lines.addAll(notes);
        lines.addAll(end);
        return lines;
    }

    /** Returns what an entry is for, if that is not the finding alone: a wrong report is mended where it is made. */
    private static String use(VerdictReport report, boolean isOne) {
        String time = hasOnlyWrongReports(report.verdict()) ? "until the reports are right" : "";
        if (isOne) {
            return time.isEmpty() ? "" : time + ": ";
        }
        return "one of them" + (time.isEmpty() ? "" : ", " + time) + ": ";
    }

    /** Returns whether the test code is not at fault: nothing leaked, was freed too late, or was overwritten. */
    static boolean hasOnlyWrongReports(LeakVerdict verdict) {
        return verdict.sum().leaked() == 0
                && verdict.sum().late() == 0
                && verdict.unexpectedOverwrites().isEmpty();
    }

    private static int findings(VerdictReport report) {
        return report.sections().stream()
                .mapToInt(section -> section.findings().size())
                .sum();
    }

    /** Returns whether what ran was a program that knows devices and no meshes. */
    static boolean isOfProgram(VerdictReport report) {
        return report.verdict().vocabulary().equals(SourceVocabulary.PROGRAM);
    }

    /** Findings from a log are no weaker for it, but the reader must know that nothing else was asked. */
    private static Optional<String> limit(VerdictReport report) {
        boolean restsOnReports = report.verdict().history().witnessSnapshots().isEmpty();
        return isOfProgram(report) && restsOnReports && findings(report) > 0
                ? Optional.of("limits  no allocator snapshot: rests on the reports alone")
                : Optional.empty();
    }

    private static String sum(LeakVerdict verdict) {
        Sum sum = verdict.sum();
        List<SourceVocabulary> words = wordsOfObjects(verdict.history());
        boolean areObjects = !words.isEmpty();
        List<String> freed =
                words.stream().map(SourceVocabulary::freed).distinct().toList();
        return sum.allocated()
                + (areObjects ? " constructed = " : " allocated = ")
                + sum.freed() + " " + (areObjects ? (freed.size() == 1 ? freed.get(0) : "closed") : "freed")
                + part(sum.late(), "freed late")
                + part(sum.leaked(), "leaked")
                + part(sum.misreported(), "misreported")
                + part(sum.expected(), "expected")
                + part(sum.undecided(), "undecided");
    }

    /** Returns the words of the sources that allocated, or of all if none did, if these all report objects; else none. */
    private static List<SourceVocabulary> wordsOfObjects(AllocationHistory history) {
        if (wordsOf(history.sources().stream()).noneMatch(SourceVocabulary::isOfObjects)) {
            // So that buffers that were freed need not become generations, which takes longer than the verdict.
            return List.of();
        }
        Set<Optional<String>> allocating = history.generations().stream()
                .map(buffer -> buffer.request().details().source())
                .collect(Collectors.toSet());
        List<SourceVocabulary> words = wordsOf(history.sources().stream()
                        .filter(source -> allocating.isEmpty() || allocating.contains(Optional.of(source.name()))))
                .toList();
        return words.stream().allMatch(SourceVocabulary::isOfObjects) ? words : List.of();
    }

    private static Stream<SourceVocabulary> wordsOf(Stream<SourceDescription> sources) {
        return sources.map(source -> source.vocabulary().orElse(SourceVocabulary.PROGRAM))
                .distinct();
    }

    private static String part(long count, String state) {
        return count == 0 ? "" : " + " + count + " " + state;
    }

    static List<String> entry(String name, String text) {
        return wrapped(named(name, text), " ".repeat(8));
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

    private static String named(String name, String text) {
        return String.format(Locale.ROOT, "%-7s %s", name, text);
    }
}
