package dev.meshguard.mesh.internal.process;

import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.CloseOrder;
import dev.meshguard.mesh.runtime.ClusterType;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.Strictness;
import dev.meshguard.mesh.runtime.SystemProgram;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.text.InvariantText;
import dev.meshguard.tracker.AllocationListener;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The chips, the version, the defects and the faults of one simulated runtime; the builder of {@code Ttnn} makes it, and
 * {@link RuntimeProcess} reads it.
 *
 * @param listener receives the reports
 * @param preset the version of the runtime
 * @param cluster the chips, and how many of their cores compute
 * @param systemMesh the number of devices along each dimension
 * @param defects the defects of every mesh
 * @param fixes the proposed repairs
 * @param reporting which buffers are reported
 * @param systemBuffers the buffers that the runtime allocates for itself
 * @param systemPrograms the runtime's own programs
 * @param operations the needs of operations
 * @param closeOrder the order in which a close frees the runtime's buffers and clears the allocators
 * @param strictness whether misuse is rejected
 * @param handleRelease the treatment of lost handles
 * @param faults the faults to inject
 */
public record RuntimeSettings(
        AllocationListener listener,
        RuntimePreset preset,
        ClusterType cluster,
        MeshShape systemMesh,
        Set<RuntimeDefect> defects,
        Set<RuntimeFix> fixes,
        ReportingModel reporting,
        List<SystemBufferSpec> systemBuffers,
        List<SystemProgram> systemPrograms,
        List<OperationProfile> operations,
        CloseOrder closeOrder,
        Strictness strictness,
        HandleRelease handleRelease,
        FaultPlan faults) {

    /**
     * Returns the profile of an operation.
     *
     * @throws IllegalArgumentException if there is none
     */
    public OperationProfile profileOf(String operation) {
        return findProfile(operation)
                .orElseThrow(() -> new IllegalArgumentException(InvariantText.of(
                        "Cannot run %s: it has no operation profile, so what it allocates is not known (known: %s)."
                                + " Give it one with Ttnn.builder(listener).operations(OperationProfile.of(\"%s\", ...)).",
                        operation,
                        operations.stream().map(OperationProfile::operation).collect(Collectors.joining(", ")),
                        operation)));
    }

    /** Returns the profile of an operation, if it has one. */
    public Optional<OperationProfile> findProfile(String operation) {
        return operations.stream()
                .filter(profile -> profile.operation().equals(operation))
                .findFirst();
    }

    public boolean isStrict() {
        return strictness == Strictness.STRICT;
    }
}
