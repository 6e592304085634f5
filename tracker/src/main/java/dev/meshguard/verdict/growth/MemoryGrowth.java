package dev.meshguard.verdict.growth;

import dev.meshguard.verdict.DeviceMemory;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The growth of one memory of one device over the rounds.
 *
 * @param memory the memory
 * @param bytes the bytes that each round retained
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryGrowth(DeviceMemory memory, RoundVector bytes) {}
