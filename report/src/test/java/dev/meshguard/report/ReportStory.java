package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * A history, the entries of a file of expected buffers, and the whole text of the verdict.
 *
 * <pre>
 * names the cause of a lost buffer
 *     mesh 0 over 0; allocate DRAM 0x1000 on 0; handle lost; close
 *     expecting L1 because "the driver keeps it"
 *
 *     LEAK  64 B in 1 DRAM buffer, LOST; allocated in HistoryTests.java:2
 *     …
 *     fix     Free the buffer before close_mesh_device on every path: with try-with-resources, or in a finally block.
 *     …
 * </pre>
 *
 * <p>The history is read as {@link HistoryScript#report} describes it. A line {@code …} of the text stands for any number of lines.
 */
record ReportStory(String name, String sentences, String entries, String text) {

    private static final String ENTRY = "expecting ";

    /** Returns a test for each story of a text. */
    static Stream<DynamicTest> each(String stories) {
        return Stream.of(stories.split("\\R(?=\\S)", -1))
                .map(ReportStory::of)
                .map(story -> dynamicTest(story.name, story::holds));
    }

    private static ReportStory of(String story) {
        List<String> lines = story.stripTrailing()
                .lines()
                .map(line -> line.replaceFirst("^ {4}", ""))
                .toList();
        List<String> before =
                lines.stream().takeWhile(line -> !line.isEmpty()).skip(1).toList();
        return new ReportStory(
                lines.get(0),
                before.stream().filter(line -> !line.startsWith(ENTRY)).collect(Collectors.joining(" ")),
                before.stream()
                        .filter(line -> line.startsWith(ENTRY))
                        .map(line -> line.substring(ENTRY.length()))
                        .collect(Collectors.joining("\n")),
                String.join("\n", lines.subList(before.size() + 2, lines.size())));
    }

    /** Returns the report on a history, as of the check with some lines of a file of expected buffers. */
    static VerdictReport report(String sentences, String... entries) {
        ExpectedBuffers expected = ExpectedBuffers.parse(String.join("\n", entries), "meshguard-expected.txt");
        return VerdictReport.of(LeakCheck.create().expecting(expected).examine(HistoryScript.historyOf(sentences)));
    }

    private void holds() {
        String actual = report(sentences, entries).text();

        String lines = Stream.of((text + "\n").split("(?m)^…\n", -1))
                .map(Pattern::quote)
                .collect(Collectors.joining("(?:.*\n)*"));
        if (!(actual + "\n").matches(lines)) {
            assertThat(actual).as(name).isEqualTo(text);
        }
    }
}
