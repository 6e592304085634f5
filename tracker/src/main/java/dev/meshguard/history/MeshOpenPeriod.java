package dev.meshguard.history;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The period from the opening of a mesh to its close, in which its allocator reserves memory.
 *
 * <p>Mesh numbers are reused, because every runtime counts from 0, so periods are distinguished by identity only.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class MeshOpenPeriod {

    private final int mesh;
    private final @Nullable MeshDescription description;
    private final Set<Integer> devices;
    private final long openedAt;
    private final @Nullable MeshOpenPeriod before;
    private long closingAt = Long.MAX_VALUE;
    private long closedAt = Long.MAX_VALUE;

    private MeshOpenPeriod(
            int mesh, @Nullable MeshDescription description, long openedAt, @Nullable MeshOpenPeriod before) {
        this.mesh = mesh;
        this.description = description;
        this.devices = description == null ? Set.of() : new HashSet<>(description.devices());
        this.openedAt = openedAt;
        this.before = before;
    }

    /** Begins the open period of a mesh, after an earlier one with its number if there was one. */
    static MeshOpenPeriod opened(HistoryEvent.MeshOpened event, @Nullable MeshOpenPeriod before) {
        return new MeshOpenPeriod(event.mesh().id(), event.mesh(), event.number(), before);
    }

    /** Returns the open period of a mesh that reports name but whose opening was never reported. */
    static MeshOpenPeriod unannounced(int mesh) {
        return new MeshOpenPeriod(mesh, null, 0, null);
    }

    void beginClose(long event) {
        closingAt = Math.min(closingAt, event);
    }

    void close(long event) {
        beginClose(event);
        closedAt = event;
    }

    /** Returns the number of the event at which its close began, or {@link Long#MAX_VALUE}. */
    long closingAt() {
        return closingAt;
    }

    /** Returns the number of the event at which it ended, or {@link Long#MAX_VALUE}. */
    public long closedAt() {
        return closedAt;
    }

    /** Returns the number of the mesh. */
    public int mesh() {
        return mesh;
    }

    /** Returns the open period before this one with the same number, if there was one. */
    @Nullable
    MeshOpenPeriod before() {
        return before;
    }

    /** Returns the mesh; empty if its opening was not reported. */
    public Optional<MeshDescription> description() {
        return Optional.ofNullable(description);
    }

    /** Returns whether its opening and close are known. */
    boolean isAnnounced() {
        return description != null;
    }

    boolean isOpen() {
        return isAnnounced() && closedAt == Long.MAX_VALUE;
    }

    boolean isClosed() {
        return isAnnounced() && !isOpen();
    }

    /** Returns whether the event of a number came after its opening and before its end. */
    public boolean wasOpenAt(long event) {
        return isAnnounced() && openedAt < event && event < closedAt;
    }

    /** Returns whether its end came before the event of a number. */
    public boolean wasClosedBefore(long event) {
        return closedAt < event;
    }

    boolean wasOpenedAfter(long event) {
        return openedAt > event;
    }

    /** Returns whether it can have allocated memory of a device, as far as is known. */
    boolean mayAllocate(int device) {
        return !isAnnounced() || liesOver(device);
    }

    /** Returns whether it covers a device. */
    public boolean liesOver(int device) {
        return devices.contains(device);
    }
}
