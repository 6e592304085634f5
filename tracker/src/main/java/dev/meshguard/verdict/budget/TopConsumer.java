package dev.meshguard.verdict.budget;

import dev.meshguard.event.Origin;
import dev.meshguard.verdict.AllocationSite;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What one site held of a memory at one moment.
 *
 * @param site what the buffers have in common
 * @param origin where the oldest of them was asked for, if that was captured
 * @param buffers how many there were
 * @param bytes their bytes
 * @param circularBytes how many of these belong to circular buffers
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record TopConsumer(AllocationSite site, Optional<Origin> origin, long buffers, long bytes, long circularBytes) {}
