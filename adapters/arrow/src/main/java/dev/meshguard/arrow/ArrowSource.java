package dev.meshguard.arrow;

import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceSettings;
import java.util.Optional;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Memory of Apache Arrow: each tracked test is responsible for the buffers that its threads allocate, from all root allocators.
 *
 * <p>Allocators that the code under test opens are seen by a Java agent, which the first tracked test attaches if there is none. Without
 * an agent only the buffers of the parameter are seen: a test that does not ask for it is inconclusive.
 *
 * <p>A {@code BufferAllocator} or {@code RootAllocator} parameter gets the same {@link TrackedRootAllocator}. It lasts as long as the tracker of the test, and the extension closes it if the test does not.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class ArrowSource implements AllocationSource {

    static final String ID = "arrow";

    /** Called by {@link java.util.ServiceLoader}. */
    public ArrowSource() {}

    @Override
    public String id() {
        return ID;
    }

    @Override
    public Set<Class<?>> parameterTypes() {
        return Set.of(BufferAllocator.class, RootAllocator.class);
    }

    @Override
    public Optional<SourceSettings> defaultSettings() {
        return Optional.of(SourceSettings.withoutOptions(this, ArrowSession::see, ArrowSession::new));
    }
}
