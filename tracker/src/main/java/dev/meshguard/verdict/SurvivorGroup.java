package dev.meshguard.verdict;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Survivors that a reader sees as one leak, on any number of devices, with their consequences.
 *
 * <p>They have the same request or line of code, type, size, label and cause. Consequences are survivors that remain
 * only because of them: the circular buffers of a program whose kernel binary survived, or the buffers that a surviving
 * trace needs. They are no leaks of their own.
 *
 * @param survivors the survivors, oldest first; at least one
 * @param consequences groups that disappear with this one, the oldest first; without consequences of their own
 * @param circumstances facts about other buffers from the same line and of the same addresses; they are no cause
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SurvivorGroup(List<Survivor> survivors, List<SurvivorGroup> consequences, List<Evidence> circumstances) {

    /** Creates a group with its own copies of the lists. */
    public SurvivorGroup {
        survivors = List.copyOf(survivors);
        consequences = List.copyOf(consequences);
        circumstances = List.copyOf(circumstances);
        if (survivors.isEmpty()) {
            throw new IllegalArgumentException("A group of survivors has at least one: none was given");
        }
    }

    /** Returns how many buffers survived, consequences included. */
    public long buffers() {
        return survivors.size()
                + consequences.stream().mapToLong(SurvivorGroup::buffers).sum();
    }

    /** Returns the bytes of all survivors, consequences included, at most {@link Long#MAX_VALUE}. */
    public long totalBytes() {
        return consequences.stream().mapToLong(SurvivorGroup::totalBytes).reduce(bytes(), Quantities::saturatedSum);
    }

    /**
     * Returns the bytes that allocators still hold, consequences included, at most {@link Long#MAX_VALUE}. Circular buffers lie
     * outside the allocators, and misreported memory was freed.
     */
    public long allocatorBytes() {
        boolean isHeld = first().buffer().kind() == BufferKind.BUFFER && status() != SurvivorStatus.MISREPORTED;
        return consequences.stream()
                .mapToLong(SurvivorGroup::allocatorBytes)
                .reduce(isHeld ? bytes() : 0, Quantities::saturatedSum);
    }

    /** Returns the oldest survivor. */
    public Survivor first() {
        return survivors.get(0);
    }

    /** Returns why they survived. */
    public Cause cause() {
        return first().cause();
    }

    /** Returns how they count. */
    public SurvivorStatus status() {
        return first().status();
    }

    /** Returns the memory. */
    public BufferType type() {
        return first().buffer().type();
    }

    /** Returns the size of each, in bytes. */
    public long size() {
        return first().buffer().size();
    }

    /** Returns the bytes of the survivors, at most {@link Long#MAX_VALUE}. */
    public long bytes() {
        long high = Math.multiplyHigh(size(), survivors.size());
        long bytes = size() * survivors.size();
        return high == 0 && bytes >= 0 ? bytes : Long.MAX_VALUE;
    }

    /** Returns the devices that hold one, ascending; empty for memory that belongs to no device. */
    public List<Integer> devices() {
        TreeSet<Integer> devices = new TreeSet<>();
        survivors.stream()
                .map(Survivor::buffer)
                .filter(BufferGeneration::hasDevice)
                .forEach(buffer -> devices.add(buffer.device()));
        return List.copyOf(devices);
    }

    /** Returns the label they share, if they have one. */
    public Optional<String> label() {
        return first().buffer().label();
    }

    /** Returns the place in the code that requested them, if it was captured. */
    public Optional<Origin> origin() {
        return first().buffer().origin().filter(origin -> !origin.frames().isEmpty());
    }

    /**
     * Returns the facts that prove the cause of the oldest survivor. Facts of the same kind about the others are
     * omitted.
     */
    public List<Evidence> evidence() {
        return first().diagnosis().evidence();
    }

    @Override
    public String toString() {
        return InvariantText.of(
                "%s (%s): %s %d B x %d on devices %s",
                cause(), status().description(), type(), size(), survivors.size(), devices());
    }
}
