package dev.meshguard.mockito.statics;

import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The handles that tests track with {@link StaticFactories}.
 *
 * <p>In a {@link dev.meshguard.junit.MeshGuardExtension} that names its sources, use
 * {@code builder().source(StaticFactoriesSource.create())}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class StaticFactoriesSource implements AllocationSource {

    static final String ID = "static factories";

    /** Called by {@link java.util.ServiceLoader}; in code, use {@link #create()}. */
    public StaticFactoriesSource() {}

    /** Returns the settings, of which there are no others. */
    public static SourceSettings create() {
        return SourceSettings.ofParameter(
                new StaticFactoriesSource(),
                context -> new Session(new StaticFactories(context.tracker(), context.name())));
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public Set<Class<?>> parameterTypes() {
        return Set.of(StaticFactories.class);
    }

    @Override
    public Optional<SourceSettings> defaultSettings() {
        return Optional.of(create());
    }

    /** The source is attached when a test names a factory: without one, it covers nothing. */
    private record Session(StaticFactories factories) implements SourceSession {

        @Override
        public Object resolve(Class<?> type) {
            return factories;
        }

        @Override
        public void poll() {
            factories.polled().poll();
        }

        @Override
        public void release(Set<Object> survivors) {
            factories.polled().release(survivors);
        }

        @Override
        public void close() {
            factories.close();
        }
    }
}
