package dev.meshguard.closeables;

import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Gives each tracked test a parameter {@link NativeHandles}, and asks its handles at the end of the test whether they are closed.
 *
 * <p>In a {@link dev.meshguard.junit.MeshGuardExtension} that names its sources, use
 * {@code builder().source(NativeHandlesSource.create())}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class NativeHandlesSource implements AllocationSource {

    /** Called by {@link java.util.ServiceLoader}; in code, use {@link #create()}. */
    public NativeHandlesSource() {}

    /** Returns the settings, of which there are no others. */
    public static SourceSettings create() {
        return SourceSettings.ofParameter(new NativeHandlesSource(), Session::of);
    }

    @Override
    public String id() {
        return "closeables";
    }

    @Override
    public Set<Class<?>> parameterTypes() {
        return Set.of(NativeHandles.class);
    }

    @Override
    public Optional<SourceSettings> defaultSettings() {
        return Optional.of(create());
    }

    private static final SourceVocabulary WORDS =
            SourceVocabulary.of("native memory").countedIn("handle").freedBy("close", "closed");

    private record Session(NativeHandles handles) implements SourceSession {

        static Session of(SourceContext context) {
            context.tracker()
                    .sourceAttached(SourceDescription.of(NativeHandles.SOURCE)
                            .covering("handles that the test tracks")
                            .inferringFrees()
                            .speaking(WORDS));
            return new Session(new NativeHandles(context.tracker(), context.name()));
        }

        @Override
        public Object resolve(Class<?> type) {
            return handles;
        }

        @Override
        public void poll() {
            handles.open().poll();
        }

        @Override
        public void release(Set<Object> survivors) {
            handles.open().release(survivors);
        }

        @Override
        public void close() {
            handles.close();
        }
    }
}
