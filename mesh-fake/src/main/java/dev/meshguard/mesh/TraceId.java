package dev.meshguard.mesh;

import dev.meshguard.text.InvariantText;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The number of a trace.
 *
 * <p>The runtime counts traces from 0 in each process and never restarts (quirk Q12). A caller may choose another number that
 * no trace of the same sub-device manager has. Immutable and safe for use by several threads. Source: {@code MeshTraceId} in
 * {@code tt_metal/api/tt-metalium/mesh_trace_id.hpp}.
 *
 * @param value the number, from 0
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record TraceId(int value) {

    /**
     * Creates an id.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public TraceId {
        if (value < 0) {
            throw new IllegalArgumentException(InvariantText.of("There is no trace %d: traces count from 0", value));
        }
    }
}
