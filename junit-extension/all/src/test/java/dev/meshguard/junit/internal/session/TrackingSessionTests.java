package dev.meshguard.junit.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.meshguard.event.Phase;
import dev.meshguard.junit.Accounting;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.TrackingLifetime;
import dev.meshguard.junit.internal.OutputSettings;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.config.TrackingSettings;
import dev.meshguard.junit.internal.run.SharedRunState;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.testkit.FixtureSource;
import dev.meshguard.junit.testkit.Latches;
import dev.meshguard.tracker.OriginCapture;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A source may use its context from threads of its own. */
class TrackingSessionTests {

    @Test
    void keepsTheNotesOfAllThreads() {
        CompletableFuture<SourceContext> begun = new CompletableFuture<>();
        TrackingSession session = session(begun, () -> {});
        session.beginSources();
        SourceContext context = begun.join();

        Latches.together(4, thread -> {
            for (int number = 0; number < 1_000_000; number++) {
                context.note("of a thread");
            }
        });

        TrackingSession.Closed closed = session.close();
        assertThat(closed.error()).isEmpty();
        assertThat(Collections.frequency(closed.notes(), "of a thread")).isEqualTo(4_000_000);
    }

    /** The session closes its source with its lock, and the source may wait for its threads. */
    @Test
    void takesNotesOfAThreadForWhichTheSourceWaits() {
        CompletableFuture<SourceContext> begun = new CompletableFuture<>();
        TrackingSession session = session(
                begun,
                () -> CompletableFuture.runAsync(() -> {
                            SourceContext context = begun.join();
                            context.note("closed in " + context.phase().name());
                        })
                        .join());
        session.beginSources();
        session.begin(Phase.TEARDOWN);

        TrackingSession.Closed closed = session.close();

        assertThat(closed.error()).isEmpty();
        assertThat(closed.notes()).containsExactly("closed in TEARDOWN");
    }

    private static TrackingSession session(CompletableFuture<SourceContext> begun, Runnable closing) {
        RunSettings settings = RunSettings.of(name -> Optional.empty(), Map.of());
        SharedRunState run =
                new SharedRunState(settings, OutputSettings.of(name -> Optional.empty()), Instant.EPOCH, pairs -> {});
        return new TrackingSession(
                new TrackingSettings(
                        List.of(FixtureSource.settings(begun::complete, closing)),
                        TrackingLifetime.TEST,
                        Accounting.AT_THE_END,
                        new CheckPolicy(AllocationCheck.CLEAN, OriginCapture.ALLOCATIONS, Duration.ZERO)),
                run,
                TrackedTest.of(mock(ExtensionContext.class)));
    }
}
