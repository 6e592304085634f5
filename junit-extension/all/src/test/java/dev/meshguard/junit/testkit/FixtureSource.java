package dev.meshguard.junit.testkit;

import dev.meshguard.junit.source.AllocationSource;
import java.util.Set;

/** A source of allocations that a fixture declares. */
public class FixtureSource implements AllocationSource {

    private final String id;
    private final Set<Class<?>> parameterTypes;

    protected FixtureSource(String id, Class<?>... parameterTypes) {
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
}
