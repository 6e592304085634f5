package dev.meshguard.ffm;

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
 * Gives each tracked test a parameter {@link Arenas}, which opens arenas of {@code java.lang.foreign} that the test must close.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class FfmSource implements AllocationSource {

    static final String ID = "ffm";

    /** Called by {@link java.util.ServiceLoader}. */
    public FfmSource() {}

    @Override
    public String id() {
        return ID;
    }

    @Override
    public Set<Class<?>> parameterTypes() {
        return Set.of(Arenas.class);
    }

    @Override
    public Optional<SourceSettings> defaultSettings() {
        return Optional.of(SourceSettings.ofParameter(this, Session::of));
    }

    /** The JDK frees an arena only when the code under test closes it: nothing is to be closed. */
    private record Session(Arenas arenas) implements SourceSession {

        static Session of(SourceContext context) {
            context.tracker()
                    .sourceAttached(SourceDescription.of(ID)
                            .covering("the arenas that the parameter Arenas opens")
                            .speaking(SourceVocabulary.of("native memory")
                                    .countedIn("arena")
                                    .freedBy("close", "closed")));
            return new Session(Arenas.reportingTo(context.tracker()));
        }

        @Override
        public Object resolve(Class<?> type) {
            return arenas;
        }

        @Override
        public void close() {}
    }
}
