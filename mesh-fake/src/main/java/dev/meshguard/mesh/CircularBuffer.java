package dev.meshguard.mesh;

import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.internal.program.CircularBufferLayout;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A circular buffer of a program, through which its kernels hand pages to each other.
 *
 * <p>It lies where its program places it when that is enqueued. Safe for use by several threads. Source:
 * {@code tt_metal/impl/buffers/circular_buffer.cpp}.
 *
 * @since 0.1
 */
@PartOfHandle
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class CircularBuffer {

    private final Program program;
    private final CircularBufferConfig config;
    private volatile OptionalLong address = OptionalLong.empty();

    CircularBuffer(Program program, CircularBufferConfig config) {
        this.program = program;
        this.config = config;
    }

    /** Returns the requested configuration. */
    public CircularBufferConfig config() {
        return config;
    }

    /**
     * Returns the address, the same on all its cores.
     *
     * @throws MeshRuntimeException if its program has not placed it yet
     */
    public long address() {
        return address.orElseThrow(() -> new MeshRuntimeException(
                "Circular buffer has not been allocated, cannot request address at this time!"));
    }

    void placeAt(long newAddress) {
        address = OptionalLong.of(newAddress);
    }

    /** Returns whether there is a core on which both lie; one without cores lies on all that compute. */
    boolean sharesCoreWith(CircularBuffer other) {
        Optional<CoreRangeSet> own = config.cores();
        Optional<CoreRangeSet> others = other.config.cores();
        return own.isEmpty() || others.isEmpty() || own.get().intersects(others.get());
    }

    CircularBufferLayout.Item itemOn(CoreRange computeGrid) {
        CoreRangeSet cores = config.cores().orElseGet(() -> CoreRangeSet.of(computeGrid));
        return new CircularBufferLayout.Item(cores.merge(List.of()), config.size());
    }

    /** Returns size, cores and program for a person to read. */
    @Override
    public String toString() {
        return InvariantText.of(
                "CircularBuffer(%s on each core of %s, %s)",
                Quantities.size(config.size()),
                config.cores().map(CoreRangeSet::toString).orElse("the compute grid"),
                program);
    }
}
