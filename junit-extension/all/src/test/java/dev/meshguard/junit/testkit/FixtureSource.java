package dev.meshguard.junit.testkit;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceSettings;
import java.util.Set;

/** A source of allocations that a fixture declares; its annotation has the settings of the fake mesh. */
public class FixtureSource implements AllocationSource<TrackAllocations> {

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
    public final Class<TrackAllocations> annotation() {
        return TrackAllocations.class;
    }

    @Override
    public final Set<Class<?>> parameterTypes() {
        return parameterTypes;
    }

    @Override
    public final SourceSettings settings(TrackAllocations annotation, String location) {
        return FakeMeshSource.builder().build();
    }
}
