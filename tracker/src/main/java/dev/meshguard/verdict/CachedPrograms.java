package dev.meshguard.verdict;

import dev.meshguard.event.CacheKey;
import dev.meshguard.event.Owner;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The programs of one operation in a program cache: how many there are, and for which shapes.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param operation the operation
 * @param programs how many programs there are
 * @param keys the different keys of the programs, in their order; at least one
 */
@API(status = Status.INTERNAL, since = "0.1")
public record CachedPrograms(String operation, int programs, List<CacheKey> keys) {

    /** The fix where a cache grows with the shapes, as whole sentences. */
    public static final String FIX =
            "Call mesh.clearProgramCache() where the shapes change, or pad the tensors to fewer shapes.";

    /** Creates programs with their own copy of the keys. */
    public CachedPrograms {
        keys = List.copyOf(keys);
    }

    /**
     * Returns the programs among some owners, by operation.
     *
     * @param keyOf returns the key of an owner in its cache, if it is in one and the key is known
     */
    public static List<CachedPrograms> of(Collection<Owner> owners, Function<Owner, Optional<CacheKey>> keyOf) {
        Map<String, List<CacheKey>> byOperation = new LinkedHashMap<>();
        new LinkedHashSet<>(owners)
                .forEach(owner -> keyOf.apply(owner)
                        .ifPresent(key -> byOperation
                                .computeIfAbsent(key.operation(), unused -> new ArrayList<>())
                                .add(key)));
        List<CachedPrograms> all = new ArrayList<>();
        byOperation.forEach((operation, keys) -> {
            Set<CacheKey> distinct = new LinkedHashSet<>(keys);
            all.add(new CachedPrograms(operation, keys.size(), List.copyOf(distinct)));
        });
        return all;
    }

    /** Returns {@code the program cache has one program of conv2d for each of 16 shapes}, and the first property of one of the keys. */
    @Override
    public String toString() {
        List<String> properties = keys.get(keys.size() - 1).properties();
        String shape =
                properties.isEmpty() ? "an unknown shape" : properties.get(0) + (properties.size() > 1 ? ", …" : "");
        if (keys.size() == 1) {
            return "the program cache has " + Quantities.count(programs, "program") + " of " + operation + ", for "
                    + shape;
        }
        return "the program cache has "
                + (programs == keys.size()
                        ? "one program of " + operation + " for each of "
                        : programs + " programs of " + operation + " for ")
                + keys.size() + " shapes, such as " + shape;
    }
}
