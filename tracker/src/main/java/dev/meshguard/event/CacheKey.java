package dev.meshguard.event;

import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The key under which a cache keeps an owner: two calls share the owner only if their keys are equal.
 *
 * @param operation the operation, for example {@code matmul}
 * @param properties the other properties that are compared, as readable texts, for example the shapes of the result and the inputs
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CacheKey(String operation, List<String> properties) {

    /** Creates a key with its own copy of the properties. */
    public CacheKey {
        properties = List.copyOf(properties);
    }

    /** Returns the operation with its properties: {@code add((64, 64) BFLOAT16 TILE DRAM)}. */
    @Override
    public String toString() {
        return operation + "(" + String.join(", ", properties) + ")";
    }
}
