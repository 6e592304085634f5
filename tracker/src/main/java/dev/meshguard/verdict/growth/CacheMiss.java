package dev.meshguard.verdict.growth;

import dev.meshguard.event.CacheKey;
import dev.meshguard.event.Owner;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A program that was compiled and added to the program cache in one round, because the cache did not have it.
 *
 * @param round the round, from 1
 * @param program the added program
 * @param key the operation with the shapes that missed, if the source reported it
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CacheMiss(int round, Owner program, Optional<CacheKey> key) {}
