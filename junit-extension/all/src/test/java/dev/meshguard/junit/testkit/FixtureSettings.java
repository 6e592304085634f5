package dev.meshguard.junit.testkit;

import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import java.util.function.Consumer;

/**
 * The settings of a source that injects nothing.
 *
 * @param begun receives the context of each session that begins
 * @param closing runs when a session is closed
 */
public record FixtureSettings(Consumer<SourceContext> begun, Runnable closing) implements SourceSettings {

    @Override
    public AllocationSource source() {
        return new FixtureSource("fixture");
    }

    @Override
    public boolean isShareable() {
        return true;
    }

    @Override
    public SourceSession begin(SourceContext context) {
        begun.accept(context);
        return new SourceSession() {
            @Override
            public void close() {
                closing.run();
            }
        };
    }
}
