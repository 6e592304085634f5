package dev.meshguard.verdict;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.tracker.script.ExpectedText;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Deadline;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The verdict of a check, for tests of causes. */
final class Judgement {

    /** Texts that a story expects in lines; each begins with the word, and all that there are have to be expected. */
    private static final Map<String, Function<Judgement, Stream<?>>> TEXTS = Map.ofEntries(
            entry("because", judgement -> judgement.evidence(0)),
            entry(
                    "youngest because",
                    judgement -> judgement.evidence(judgement.survivors().size() - 1)),
            entry("fix", Judgement::fixes),
            entry("inconclusive", judgement -> judgement.verdict.inconclusiveReasonTexts().stream()),
            entry("survivor", judgement -> judgement.survivors().stream()),
            entry("leak", judgement -> judgement.groups().stream().map(Judgement::leak)),
            entry(
                    "consequence",
                    judgement -> judgement.groups().stream().flatMap(group -> group.consequences().stream())),
            entry("circumstance", Judgement::circumstances),
            entry("anomaly", judgement -> judgement.verdict.anomalies().stream().map(Judgement::anomaly)),
            entry(
                    "overwrite",
                    judgement -> judgement.verdict.overwrites().stream().map(Judgement::overwrite)),
            entry("live", judgement -> judgement.history.live().stream()),
            entry(
                    "entry",
                    judgement -> judgement.verdict.expectations().stream().map(Judgement::entryOf)),
            entry("sum", judgement -> Stream.of(judgement.sum())));

    /** Claims of a story that are words with values, {@code no} and the words where there is no value. */
    private static final Map<String, Function<Judgement, Stream<?>>> VALUES = Map.ofEntries(
            entry("causes", judgement -> judgement.survivors().stream().map(Survivor::cause)),
            entry("statuses", judgement -> judgement.survivors().stream().map(Survivor::status)),
            entry(
                    "anomalies",
                    judgement -> judgement.verdict.anomalies().stream().map(Anomaly::kind)),
            entry(
                    "overwrites",
                    judgement -> judgement.verdict.overwrites().stream().map(Overwrite::kind)),
            entry(
                    "reasons",
                    judgement ->
                            judgement.verdict.inconclusiveReasons().stream().map(InconclusiveReason::kind)),
            entry("fix", Judgement::fixes),
            entry("circumstances", Judgement::circumstances),
            entry(
                    "consequences",
                    judgement -> judgement.groups().stream().flatMap(group -> group.consequences().stream())),
            entry("leaks", judgement -> Stream.of(judgement.groups().size())),
            entry(
                    "generations",
                    judgement -> Stream.of(judgement.history.generations().size())),
            entry("ledger entries", judgement -> Stream.of(judgement.history.ledgerEntries())),
            entry("open reports", judgement -> judgement.history.live().stream().map(BufferGeneration::openReports)),
            entry(
                    "live on devices",
                    judgement -> judgement.history.live().stream().map(BufferGeneration::device)),
            entry(
                    "live of meshes",
                    judgement -> judgement.history.live().stream().map(Judgement::mesh)),
            entry(
                    "live of allocators",
                    judgement -> judgement.history.live().stream()
                            .map(buffer ->
                                    buffer.allocator().map(Object::toString).orElse("none"))),
            entry(
                    "live buffers",
                    judgement -> judgement.history.live().stream().map(buffer -> Long.toHexString(buffer.address()))));

    /** Claims of a story that are true, or with {@code not} before them false. */
    private static final Map<String, Predicate<Judgement>> PROPERTIES = Map.of(
            "conclusive", judgement -> judgement.verdict.inconclusiveReasons().isEmpty(),
            "leak free", judgement -> judgement.verdict.isLeakFree(),
            "balanced", judgement -> judgement.verdict.hasBalancedReports(),
            "as expected", judgement -> judgement.verdict.meetsExpectations());

    private static final Pattern TEXT = Pattern.compile("(" + String.join("|", TEXTS.keySet()) + ") (.*)");
    private static final Pattern VALUE =
            Pattern.compile("(?:no )?(" + String.join("|", VALUES.keySet()) + ")(?: (.*))?");

    private final AllocationHistory history;
    private final LeakVerdict verdict;

    private Judgement(AllocationHistory history, LeakVerdict verdict) {
        this.history = history;
        this.verdict = verdict;
    }

    static Judgement judged(AllocationHistory history) {
        return judged(history, ExpectedBuffers.none());
    }

    static Judgement judged(AllocationHistory history, ExpectedBuffers expected) {
        return new Judgement(history, LeakCheck.create().expecting(expected).examine(history));
    }

    LeakVerdict verdict() {
        return verdict;
    }

    private List<Survivor> survivors() {
        return verdict.survivors();
    }

    private List<SurvivorGroup> groups() {
        return verdict.groups();
    }

    private Stream<String> evidence(int survivor) {
        return survivors().stream()
                .skip(survivor)
                .limit(1)
                .flatMap(left -> left.diagnosis().evidence().stream())
                .map(Evidence::text);
    }

    private Stream<String> fixes() {
        return groups().stream().map(verdict::fixOf).flatMap(Optional::stream);
    }

    private Stream<String> circumstances() {
        return groups().stream()
                .flatMap(group -> group.circumstances().stream())
                .map(Evidence::text);
    }

    private String sum() {
        return Stream.of(verdict.toString().split("[:,] ", -1))
                .skip(1)
                .filter(part -> !part.startsWith("0 "))
                .collect(Collectors.joining(", "));
    }

    private static String leak(SurvivorGroup group) {
        return group.consequences().isEmpty()
                ? group.toString()
                : group + ", in all " + group.buffers() + " buffers, " + group.totalBytes() + " B";
    }

    private static String anomaly(Anomaly anomaly) {
        return anomaly.kind()
                + anomaly.generation()
                        .map(generation -> " of " + generation)
                        .orElse(" of " + anomaly.type() + " "
                                + HistoryEvent.addressOn(anomaly.device(), anomaly.address()));
    }

    private static String overwrite(Overwrite overwrite) {
        return overwrite.kind() + " of " + overwrite.buffer()
                + overwrite.trace().map(trace -> " by " + trace).orElse("")
                + (overwrite.times() == 1 ? "" : ", " + overwrite.times() + " times");
    }

    private static String entryOf(ExpectationResult result) {
        return result.kind() + ": " + result.matchedBuffers() + " of " + result.matchedBytes() + " B matched"
                + (result.rejectedBuffers() == 0 ? "" : ", " + result.rejectedBuffers() + " rejected")
                + (result.deadline() == Deadline.NONE ? "" : ", deadline " + result.deadline());
    }

    private static String mesh(BufferGeneration buffer) {
        return buffer.mesh().isPresent() ? Integer.toString(buffer.mesh().getAsInt()) : "none";
    }

    // What stories expect

    /** Returns whether a line of a story begins with the word of a text. */
    static boolean isText(String line) {
        return TEXT.matcher(line).matches();
    }

    /** These lines are all texts that begin with their words; a text that ends with … goes on. */
    void hasTexts(List<String> lines) {
        Map<String, List<String>> expected = lines.stream()
                .map(Judgement::textOf)
                .collect(Collectors.groupingBy(
                        text -> text.group(1),
                        Collectors.mapping(text -> expected(text.group(2)), Collectors.toList())));
        expected.forEach((word, texts) -> assertThat(shortened(TEXTS.get(word).apply(this), texts))
                .describedAs(word)
                .containsExactlyElementsOf(texts));
    }

    private static Matcher textOf(String line) {
        Matcher text = TEXT.matcher(line);
        if (!text.matches()) {
            throw new IllegalArgumentException(
                    "No story can say \"" + line.split(" ", 2)[0] + "\" in \"" + line + "\"");
        }
        return text;
    }

    private static List<String> shortened(Stream<?> texts, List<String> expected) {
        List<String> shortened = new ArrayList<>();
        texts.map(Object::toString).forEach(text -> {
            String other = shortened.size() < expected.size() ? expected.get(shortened.size()) : "";
            boolean goesOn = other.endsWith("…") && text.startsWith(other.substring(0, other.length() - 1));
            shortened.add(goesOn ? other : text);
        });
        return shortened;
    }

    /** A claim of a story is true. */
    void fits(String claim) {
        String name = claim.startsWith("not ") ? claim.substring("not ".length()) : claim;
        Matcher value = VALUE.matcher(claim);
        String[] words = claim.split(" ", -1);
        if (PROPERTIES.containsKey(name)) {
            assertThat(PROPERTIES.get(name).test(this))
                    .describedAs("%s: %s, %s", claim, verdict, verdict.inconclusiveReasonTexts())
                    .isEqualTo(name.equals(claim));
        } else if (value.matches()) {
            assertThat(VALUES.get(value.group(1))
                            .apply(this)
                            .map(Object::toString)
                            .collect(Collectors.joining(" ")))
                    .describedAs(value.group(1))
                    .isEqualTo(claim.startsWith("no ") ? "" : value.group(2));
        } else if (words.length == 1) {
            hasOutcome(constant(Outcome.class, claim));
        } else {
            hasOnly(
                    constant(Cause.class, words[0]),
                    constant(SurvivorStatus.class, claim.substring(words[0].length() + 1)));
        }
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String name) {
        return Stream.of(type.getEnumConstants())
                .filter(constant -> constant.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No story can claim \"" + name + "\""));
    }

    // What other tests expect

    /** Every survivor has this cause and status, and there is at least one. */
    Judgement hasOnly(Cause cause, SurvivorStatus standing) {
        assertThat(verdict.survivors()).isNotEmpty().allSatisfy(survivor -> {
            assertThat(survivor.cause()).describedAs(survivor.toString()).isEqualTo(cause);
            assertThat(survivor.status()).describedAs(survivor.toString()).isEqualTo(standing);
        });
        return this;
    }

    Judgement hasOutcome(Outcome outcome) {
        assertThat(verdict.outcome()).describedAs(verdict.toString()).isEqualTo(outcome);
        return this;
    }

    private String expected(String text) {
        return ExpectedText.expected(history, text);
    }
}
