package dev.meshguard.mesh.internal.memory;

import dev.meshguard.event.Owner;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.allocation.Allocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The recording of a command queue, and the buffer that stores it after the recording has ended.
 *
 * <p>Guarded by the lock of the mesh. Source: {@code MeshTraceDescriptor} and {@code MeshTraceBuffer} in
 * {@code tt_metal/distributed/mesh_trace.hpp}.
 */
public final class MeshTrace {

    private final TraceId id;
    private final Owner owner;
    private final Map<Integer, Long> commandBytes = new HashMap<>();
    private final TreeSet<Integer> subDevices = new TreeSet<>();
    private final List<Owner> unmeasured = new ArrayList<>();
    private final Set<Allocation> written = new HashSet<>();
    private final Set<Allocation> maybeRead = new LinkedHashSet<>();
    private @Nullable Allocation kept;

    public MeshTrace(TraceId id, Owner owner) {
        this.id = id;
        this.owner = owner;
    }

    public TraceId id() {
        return id;
    }

    /** Returns its name in reports. */
    public Owner owner() {
        return owner;
    }

    /** Records the sub-device of an execution. */
    public void runOn(SubDeviceId subDevice) {
        subDevices.add(subDevice.value());
    }

    /** Records an operation that writes a whole buffer. */
    public void write(Allocation result) {
        written.add(result);
    }

    /** Records a program that may read any of these buffers; those that the trace has written before have data of this replay. */
    public void mayRead(List<Allocation> results) {
        results.stream().filter(result -> !written.contains(result)).forEach(maybeRead::add);
    }

    /** Returns the buffers that a replay may read before it writes them, besides those that its operations name. */
    public Set<Allocation> maybeRead() {
        return maybeRead;
    }

    /**
     * Adds the commands of one run of a program.
     *
     * @param bytes the bytes of the commands on each device; empty if nobody knows
     */
    public void add(Owner program, OptionalLong bytes, List<Integer> devices) {
        if (bytes.isEmpty()) {
            unmeasured.add(program);
        } else {
            devices.forEach(device -> commandBytes.merge(device, bytes.getAsLong(), Long::sum));
        }
    }

    /** The sub-devices that a replay uses. */
    public List<SubDeviceId> subDevices() {
        return subDevices.stream().map(SubDeviceId::new).toList();
    }

    /** Returns a recorded program with an unknown size of commands, if there is one. */
    public Optional<Owner> unmeasured() {
        return unmeasured.stream().findFirst();
    }

    /** The bytes of the device that has most to do: the buffer has the same size on all of them. */
    public long rawSize() {
        return commandBytes.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    public void keepIn(Allocation allocation) {
        kept = allocation;
    }

    /** Where it is kept: nowhere before the recording has ended, or if that failed. */
    public Optional<Allocation> kept() {
        return Optional.ofNullable(kept);
    }
}
