package dev.meshguard.mesh.tensor;

import dev.meshguard.tracker.internal.InvariantText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The profiles of operations, by name.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class OperationProfiles {

    /**
     * As seen on Wormhole B0 in October 2025, in the logs of the allocation server's {@code test_mesh_allocation.py}: bfloat16
     * tensors in tiles, 4 MiB and 0.5 MiB on each device.
     */
    private static final OperationProfiles MEASURED = new OperationProfiles(
            List.of(OperationProfile.of("add", 6, 2, 2, 2), OperationProfile.of("matmul", 12, 2, 2, 1)));

    private final List<OperationProfile> profiles;

    private OperationProfiles(List<OperationProfile> profiles) {
        this.profiles = List.copyOf(profiles);
    }

    /** Returns the operations that were measured on real devices. */
    public static OperationProfiles measured() {
        return MEASURED;
    }

    /** Returns exactly the given operations. */
    public static OperationProfiles of(OperationProfile... profiles) {
        return new OperationProfiles(List.of(profiles));
    }

    /** Returns these operations and the given one, which replaces an operation of the same name. */
    public OperationProfiles with(OperationProfile profile) {
        List<OperationProfile> more = new ArrayList<>(profiles);
        more.removeIf(known -> known.operation().equals(profile.operation()));
        more.add(profile);
        return new OperationProfiles(more);
    }

    /**
     * Returns the profile of an operation.
     *
     * @throws IllegalArgumentException if there is no profile of the operation
     */
    public OperationProfile profileOf(String operation) {
        return find(operation)
                .orElseThrow(() -> new IllegalArgumentException(InvariantText.of(
                        "Cannot run %s: it has no operation profile, so what it allocates is not known (known: %s)."
                                + " Give it one with OperationProfiles.measured().with(OperationProfile.of(\"%s\", ...)).",
                        operation, names(), operation)));
    }

    /** Returns the profile of an operation, if there is one. */
    public Optional<OperationProfile> find(String operation) {
        return profiles.stream()
                .filter(profile -> profile.operation().equals(operation))
                .findFirst();
    }

    private String names() {
        return profiles.isEmpty()
                ? "none"
                : profiles.stream().map(OperationProfile::operation).collect(Collectors.joining(", "));
    }
}
