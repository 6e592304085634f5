package dev.meshguard.verdict;

import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A history and the verdict that it must have.
 *
 * <p>Its lines are the history, as {@link HistoryScript#report} reads it, and then what must come of it. A line that is indented
 * twice continues the one above. Of a choice {@code [a | b]} each is a story; all choices of a story are made together.
 *
 * <pre>
 * expecting DRAM count atMost 2    the check is made with this entry of a file of expected buffers
 * part of decode                   the lines below are about the part of this context
 * = LEAKED, conclusive             the outcome, and that there is no inconclusive reason; also: leak free, balanced, as expected
 * = LATE FREED_LATE                the cause and the status of each survivor
 * = causes LATE LOST, statuses …   those of the survivors, oldest first
 * = anomalies OVERLAP, overwrites …, reasons …    their kinds
 * = leaks 2, generations 3, ledger entries 1      how many there are
 * = live on devices 0 1, live of meshes 0, live of allocators device, live buffers 1000    what the ledger holds
 * = open reports 2 1               how many reports of each buffer that the ledger holds nothing freed
 * = no anomalies, no fix, no circumstances, no consequences, no overwrites, no live buffers, not leak free
 * because …                        the whole evidence of the oldest survivor, "youngest because" of the youngest
 * sum 2 allocated, 2 leaked        the sum of the verdict
 * fix …, inconclusive …, survivor …, leak …, consequence …, circumstance …, anomaly …, overwrite …, live …, entry …
 *                                  all of them, each as a line; a text that ends with … goes on
 * </pre>
 */
public record Story(String name, String sentences, List<String> expected) {

    private static final Pattern CHOICE = Pattern.compile("\\[([^\\[\\]]*\\s\\|\\s[^\\[\\]]*)]");

    /** Returns the stories of a text: one, or one for each choice. */
    static Stream<Story> of(String text) {
        int choices = CHOICE.matcher(text)
                .results()
                .mapToInt(choice -> choicesOf(choice.group(1)).length)
                .max()
                .orElse(1);
        return IntStream.range(0, choices)
                .mapToObj(
                        number -> CHOICE.matcher(text).replaceAll(choice -> choicesOf(choice.group(1))[number].strip()))
                .map(Story::read);
    }

    private static String[] choicesOf(String text) {
        return text.split("\\s\\|(?=\\s|$)", -1);
    }

    private static Story read(String text) {
        List<String> lines = text.replaceAll("\\R {8,}", " ")
                .lines()
                .skip(1)
                .map(String::strip)
                .toList();
        List<String> sentences =
                lines.stream().takeWhile(line -> !isExpectation(line)).toList();
        return new Story(
                text.lines().findFirst().orElseThrow(),
                String.join(" ", sentences),
                lines.subList(sentences.size(), lines.size()));
    }

    private static boolean isExpectation(String line) {
        return line.matches("(=|expecting|part of) .*") || Judgement.isText(line);
    }

    /** Fails if the verdict is another one. */
    public void holds() {
        HistoryScript script = HistoryScript.scriptOf(sentences);
        List<String> entries = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        Judgement judgement = Judgement.judged(script.recorded());
        boolean expectsNothing = true;
        for (String line : expected) {
            String rest = line.substring(line.indexOf(' ') + 1);
            if (line.startsWith("expecting ")) {
                entries.add(rest.contains("because ") ? rest : rest + " because \"it is known\"");
                judgement = Judgement.judged(
                        script.recorded(), ExpectedBuffers.parse(String.join("\n", entries), "a story"));
            } else if (line.startsWith("part of ")) {
                judgement.hasTexts(texts);
                texts.clear();
                judgement = Judgement.judged(script.partOf(rest.substring("of ".length())));
            } else if (line.startsWith("= ")) {
                Stream.of(rest.split(", ", -1)).forEach(judgement::fits);
                expectsNothing = false;
            } else {
                texts.add(line);
                expectsNothing = false;
            }
        }
        if (expectsNothing) {
            throw new IllegalArgumentException("The story \"" + name + "\" expects nothing");
        }
        judgement.hasTexts(texts);
    }

    @Override
    public String toString() {
        return name;
    }
}
