package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.meshguard.report.Finding.Fact;
import dev.meshguard.report.VerdictReport.Section;
import dev.meshguard.report.random.RandomHistory;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VerdictTextTests {

    private static final String HELPER = "dev.example.Model.allocate(Model.java:128)";
    private static final String FIX = "Free the buffer before close_mesh_device.";

    private static final String SIZE = "[\\d.]+ [KMGTPE]?i?B";
    private static final Pattern HEADLINE = Pattern.compile(
            "^(?:LEAK|FREED_LATE|INCONCLUSIVE)  (" + SIZE + ") in |^MISREPORTED .*\\((" + SIZE + ")\\) lack");
    private static final Pattern TITLE =
            Pattern.compile("^(?:[A-Z0-9_]+  |\\d+ more buffers? \\()(?:(?<count>\\d+) x )?(?<size>" + SIZE + ")");
    private static final Pattern WITH = Pattern.compile(", and \\d+ buffers? \\((" + SIZE + ")\\) with (?:it|them)$");

    @Test
    void severalFullSectionsFitOnAScreen() {
        Random random = new Random(17);
        for (int run = 0; run < 2_000; run++) {
            String text = textOf(randomSections(random));

            assertThat(text.lines()).as(text).hasSizeLessThanOrEqualTo(TruncatedText.MAX_LINES);
        }
    }

    @Test
    void aSharedLineIsNamedOnlyAboveFindingsWithTheirCallers() {
        Random random = new Random(18);
        for (int run = 0; run < 2_000; run++) {
            List<String> lines = textOf(randomSections(random)).lines().toList();

            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).endsWith(", called from:")) {
                    assertThat(lines.get(i + 1)).as("%s", lines).matches("\\d+\\. .*");
                    assertThat(afterTitle(lines, i + 2)).as("%s", lines).startsWith("   at dev.example.Caller");
                }
            }
        }
    }

    @Test
    void allFindingsHaveTheLineAndTheFixThatAllAreSaidToHave() {
        List<Finding> findings = new ArrayList<>();
        IntStream.range(0, 30).forEach(number -> findings.add(finding("finding " + number, HELPER, FIX)));
        String shared = textOf(List.of(new Section("LEAK", List.of(), findings)));
        findings.add(finding("another", "dev.example.Other.allocate(Other.java:3)", "Release the trace."));
        String different = textOf(List.of(new Section("LEAK", List.of(), findings)));

        assertThat(shared).contains("all at " + HELPER + ", called from:\n").contains("\nfix     " + FIX + "\n");
        assertThat(different)
                .doesNotContain("all at")
                .doesNotContain("\nfix     ")
                .contains("   fix   " + FIX);
    }

    @Test
    void aCutCountsTheFindingsThatWereCountedBefore() {
        List<Finding> findings = new ArrayList<>();
        IntStream.range(0, 30).forEach(number -> findings.add(finding("finding " + number, HELPER, FIX)));
        findings.add(new SimpleFinding("7 more findings of that kind", List.of(), List.of(), 0, 0, 7));

        String text = textOf(List.of(new Section("LEAK", List.of(), findings)));

        long shown = text.lines().filter(line -> line.matches("\\d+\\. .*")).count();
        assertThat(shown).isBetween(1L, 29L);
        assertThat(text).contains("\n… and " + (37 - shown) + " more (");
    }

    /** A long title continues on further lines. */
    private static String afterTitle(List<String> lines, int from) {
        return lines.stream()
                .skip(from)
                .dropWhile(line -> line.startsWith("   on devices") || line.startsWith("   devices"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theFindingsOfASectionAddUpToItsHeadline() {
        for (int seed = 0; seed < 500; seed++) {
            LeakVerdict verdict = LeakCheck.create().examine(RandomHistory.of(new Random(seed), 60));
            for (Section section : VerdictReport.of(verdict).sections()) {
                Matcher headline = HEADLINE.matcher(section.headline());
                if (headline.find()) {
                    String bytes = Quantities.shortSize(section.findings().stream()
                            .mapToLong(Finding::bytes)
                            .reduce(0, Quantities::saturatedSum));

                    assertThat(bytes)
                            .as("seed %d: %s", seed, section)
                            .isEqualTo(headline.group(1) == null ? headline.group(2) : headline.group(1));
                    assertThat(section.findings())
                            .as("seed %d", seed)
                            .allSatisfy(finding -> assertThat(bytesIn(finding))
                                    .isCloseTo((double) finding.bytes(), withinPercentage(2)));
                }
            }
        }
    }

    /** Returns the bytes that a reader of a finding adds up: those of its title, and those with it. */
    private static double bytesIn(Finding finding) {
        Matcher own = TITLE.matcher(finding.title());
        Matcher with = WITH.matcher(finding.title());
        double ofOthers = with.find() ? bytes(with.group(1)) : 0;
        if (!own.find()) {
            return ofOthers;
        }
        double count = own.group("count") == null ? 1 : Double.parseDouble(own.group("count"));
        return count * bytes(own.group("size")) + ofOthers;
    }

    private static double bytes(String size) {
        String[] parts = size.split(" ", -1);
        return Double.parseDouble(parts[0])
                * Math.pow(
                        1024,
                        List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB").indexOf(parts[1]));
    }

    private static Finding finding(String title, String site, String fix) {
        return new SimpleFinding(
                title,
                List.of(site, "dev.example.Caller.call(Caller.java:1)"),
                List.of(new Fact(Fact.WHY, "UNEXPLAINED"), new Fact(Fact.FIX, fix)),
                1,
                64,
                1);
    }

    private static List<Section> randomSections(Random random) {
        List<Section> sections = new ArrayList<>();
        int count = 1 + random.nextInt(6);
        for (int section = 0; section < count; section++) {
            List<Fact> facts = random.nextInt(3) == 0 ? facts(Fact.WHY, random.nextInt(12)) : List.of();
            boolean isOfOneHelper = random.nextBoolean();
            String fix = "Free the buffer. ".repeat(1 + random.nextInt(25)).trim();
            List<Finding> findings = new ArrayList<>();
            int most = random.nextInt(random.nextBoolean() ? 4 : 40);
            for (int finding = 0; finding < most; finding++) {
                findings.add(finding(
                        "DRAM  buffers " + "on devices ".repeat(random.nextInt(20)),
                        isOfOneHelper ? HELPER : HELPER + finding,
                        fix + (random.nextInt(40) == 0 ? "!" : "")));
            }
            sections.add(new Section("HEADLINE " + section, facts, findings));
        }
        return sections;
    }

    private static List<Fact> facts(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> new Fact(name, "reason " + number))
                .toList();
    }

    private static String textOf(List<Section> sections) {
        VerdictReport clean = VerdictReport.of(
                LeakCheck.create().examine(AllocationTracker.create().history()));
        return new VerdictReport(
                        clean.verdict(),
                        clean.survivors(),
                        sections,
                        List.of("one", "two", "three"),
                        List.of("Expected and present: one", "Expected and present: two"),
                        clean.expectationSnippet(),
                        Optional.of("mvn test"),
                        Optional.of("target/meshguard/page.html"),
                        Optional.empty(),
                        false)
                .text();
    }
}
