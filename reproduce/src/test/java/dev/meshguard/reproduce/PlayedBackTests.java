package dev.meshguard.reproduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.EventNumbers;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.report.random.RandomHistory;
import dev.meshguard.reproduce.minimize.FailureSignature;
import dev.meshguard.reproduce.minimize.HistoryMinimizer;
import dev.meshguard.reproduce.minimize.MinimizedHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.HistoryPlayback;
import dev.meshguard.tracker.Retention;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Every history of a source, in any order, can be reported again, minimized, and written as a test. */
class PlayedBackTests {

    private static final long FIRST_SEED = 400;

    @Test
    void historiesThatArePlayedBackAreTheSame() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 60; seed++) {
            AllocationHistory history = RandomHistory.of(new Random(seed), 120);
            if (history.isComplete() && !hasRoundsThatOnlyEnd(history)) {
                AllocationHistory again =
                        HistoryPlayback.of(history).toTracker().history();

                assertThat(written(again)).as("seed %d", seed).isEqualTo(written(history));
            }
        }
    }

    @Test
    void whatIsLeftOfARunFailsAsTheRunDidAndIsATest() {
        Set<Class<?>> kinds = new HashSet<>();
        int written = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 60; seed++) {
            AllocationHistory history = RandomHistory.of(new Random(seed), 120);
            history.events().forEach(event -> kinds.add(event.getClass()));
            FailureSignature finding = FailureSignature.of(LeakCheck.create().examine(history));
            if (history.isComplete() && !finding.isClean()) {
                MinimizedHistory least = HistoryMinimizer.create().minimize(history);

                assertThat(finding.isKeptBy(least.remaining()))
                        .as("seed %d: %s", seed, least)
                        .isTrue();
                written += isWritten(least.history(), seed) ? 1 : 0;
                written += isWritten(history, seed) ? 1 : 0;
            }
        }

        assertThat(kinds).containsExactlyInAnyOrder(HistoryEvent.class.getPermittedSubclasses());
        assertThat(written).isGreaterThan(40);
    }

    @Test
    void everyKindOfEventCanBeNumberedAnew() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 50; seed++) {
            List<HistoryEvent> events = RandomHistory.of(new Random(seed), 120).events();

            List<HistoryEvent> later = events.stream()
                    .map(event -> EventNumbers.numbered(event, event.number() + 10))
                    .toList();

            assertThat(EventNumbers.fromOne(later)).isEqualTo(events);
        }
    }

    @Test
    void aHistoryWithoutAPastIsNotPlayedBack() {
        AllocationTracker tracker =
                AllocationTracker.builder().retention(Retention.LIVE_AND_TOTALS).build();
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        AllocationHistory history = tracker.history();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> HistoryPlayback.of(history))
                .withMessage(
                        "This history holds only what was still allocated and sums, so what happened before cannot be"
                                + " reported again. Record it with Retention.ALL.");
    }

    /** A round without a begin cannot be reported. */
    private static boolean hasRoundsThatOnlyEnd(AllocationHistory history) {
        List<Integer> open = new ArrayList<>();
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.RoundBegan began) {
                open.add(began.round());
            } else if (event instanceof HistoryEvent.RoundEnded ended && !open.remove((Integer) ended.round())) {
                return true;
            }
        }
        return false;
    }

    /** A history that a test cannot express is rejected; otherwise the result is valid Java. */
    private static boolean isWritten(AllocationHistory history, long seed) {
        String source;
        try {
            source = ReproductionTest.of(history).source();
        } catch (IllegalStateException e) {
            return false;
        }
        assertThat(source.chars().allMatch(character -> character == '\n' || (character >= ' ' && character <= '~')))
                .as("seed %d: %s", seed, source)
                .isTrue();
        assertThat(syntaxErrors(source)).as("seed %d: %s", seed, source).isEmpty();
        return true;
    }

    private static Collection<String> syntaxErrors(String source) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Written.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        ToolProvider.getSystemJavaCompiler()
                .getTask(
                        new StringWriter(),
                        null,
                        found,
                        List.of(
                                "-proc:none",
                                "-XDshould-stop.ifNoError=PARSE",
                                "-encoding",
                                StandardCharsets.US_ASCII.name()),
                        null,
                        List.of(file))
                .call();
        return found.getDiagnostics().stream()
                .filter(one -> !one.getCode().startsWith("compiler.err.doesnt.exist")
                        && !one.getCode().startsWith("compiler.err.cant.")
                        && !one.getCode().startsWith("compiler.err.class.public"))
                .map(one -> one.getMessage(Locale.ROOT))
                .toList();
    }

    private static String written(AllocationHistory history) throws IOException {
        StringWriter text = new StringWriter();
        HistoryJson.write(history, text);
        return text.toString();
    }
}
