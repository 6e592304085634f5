package dev.meshguard.junit.processes;

import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.AnnotatedSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.process.TrackedProcesses;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory of other processes; {@link WatchedProcesses} selects it.
 *
 * <p>In a {@link dev.meshguard.junit.MeshGuardExtension}, use {@code builder().source(WatchedProcessesSource.create())}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class WatchedProcessesSource implements AnnotatedSource<WatchedProcesses> {

    /** Called by {@link java.util.ServiceLoader}; in code, use {@link #create()}. */
    public WatchedProcessesSource() {}

    /** Returns the settings, of which there are no others. */
    public static SourceSettings create() {
        return new Settings();
    }

    @Override
    public String id() {
        return "processes";
    }

    @Override
    public Class<WatchedProcesses> annotation() {
        return WatchedProcesses.class;
    }

    @Override
    public Set<Class<?>> parameterTypes() {
        return Set.of(TrackedProcesses.class, AllocationServer.class);
    }

    @Override
    public SourceSettings settings(WatchedProcesses annotation, String location) {
        return create();
    }

    private record Settings() implements SourceSettings {

        @Override
        public AllocationSource source() {
            return new WatchedProcessesSource();
        }

        /** Each program has a verdict of its own. */
        @Override
        public boolean isShareable() {
            return false;
        }

        /** Only a parameter of the test starts a program or a server. */
        @Override
        public boolean beginsOnRequest() {
            return true;
        }

        @Override
        public SourceSession begin(SourceContext context) {
            return new WatchedProcessesSession(context);
        }
    }
}
