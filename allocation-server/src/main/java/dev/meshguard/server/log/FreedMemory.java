package dev.meshguard.server.log;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Phase;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory of one type that was freed in one phase.
 *
 * @param type the memory type; empty for buffers that no line allocates, because a free does not contain it
 * @param phase the phase in which it was freed
 * @param beforeCheck whether it was freed before the check, which is the last valid dump, if there is one
 * @param buffers the number of buffers
 * @param bytes their bytes
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FreedMemory(Optional<BufferType> type, Phase phase, boolean beforeCheck, long buffers, long bytes) {

    /** Returns the sum of this and other memory of the same type and phase. */
    public FreedMemory plus(FreedMemory other) {
        return new FreedMemory(type, phase, beforeCheck, buffers + other.buffers, bytes + other.bytes);
    }
}
