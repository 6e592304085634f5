package dev.meshguard.junit.testkit;

import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSettings;
import java.util.Set;
import java.util.function.Consumer;

/** A source of allocations that a fixture declares. */
public class FixtureSource implements AllocationSource {

    private final String id;
    private final Set<Class<?>> parameterTypes;

    /** Creates a source with its id and the types that it injects. */
    public FixtureSource(String id, Class<?>... parameterTypes) {
        this.id = id;
        this.parameterTypes = Set.of(parameterTypes);
    }

    @Override
    public final String id() {
        return id;
    }

    @Override
    public final Set<Class<?>> parameterTypes() {
        return parameterTypes;
    }

    /** Returns the settings of a source that injects nothing, with what each session calls that begins or is closed. */
    public static SourceSettings settings(Consumer<SourceContext> begun, Runnable closing) {
        return SourceSettings.withoutOptions(new FixtureSource("fixture"), context -> {
            begun.accept(context);
            return closing::run;
        });
    }
}
