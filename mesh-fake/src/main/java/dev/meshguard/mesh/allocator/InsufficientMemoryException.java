package dev.meshguard.mesh.allocator;

import dev.meshguard.event.shortage.MemoryRejection;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.event.shortage.MemoryShortage.Holder;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serial;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the mesh has no memory for a request: an allocator is full or fragmented, circular buffers clash with L1 buffers or
 * do not fit into L1, the trace region is too small, or buffers lie where a sub-device manager needs L1.
 *
 * <p>The message begins with the runtime's own text. The lines after it say who holds the memory and what would make room, as
 * {@link MemoryShortage#lines()}. They are computed when the message is first read, and describe the moment of the error.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed class InsufficientMemoryException extends MeshRuntimeException implements MemoryRejection
        permits DeviceOutOfMemoryException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final String runtimeMessage;
    private volatile @Nullable String explained;
    private transient volatile @Nullable MemoryShortage shortage;

    /**
     * Creates an exception without a shortage.
     *
     * @param message the runtime's text, verbatim
     */
    public InsufficientMemoryException(String message) {
        super(message);
        this.runtimeMessage = message;
    }

    /**
     * Creates an exception without a shortage.
     *
     * @param format the runtime's text, verbatim, with the places of its values
     * @param values the values, formatted as in every locale
     */
    public InsufficientMemoryException(String format, Object... values) {
        this(String.format(Locale.ROOT, format, values));
    }

    /** Adds the state of the memory; called where the holders are known, before anybody else sees the exception. */
    @API(status = Status.INTERNAL, since = "0.1")
    public InsufficientMemoryException causedBy(MemoryShortage found) {
        shortage = found;
        return this;
    }

    /** Adds a line to the runtime's text, for an error whose reason is not the memory. */
    @API(status = Status.INTERNAL, since = "0.1")
    public void explain(String line) {
        explained = runtimeMessage + "\n" + line;
    }

    /** Returns the state of the memory; empty if the failure was injected, or if an allocator was used without a mesh. */
    @Override
    public Optional<MemoryShortage> shortage() {
        return Optional.ofNullable(shortage);
    }

    /** Returns who held the memory, the most bytes first; empty if {@link #shortage()} is. */
    public List<Holder> holders() {
        return shortage().map(MemoryShortage::holders).orElse(List.of());
    }

    /** Returns the runtime's text alone. */
    public String runtimeMessage() {
        return runtimeMessage;
    }

    @Override
    public String getMessage() {
        String known = explained;
        MemoryShortage found = shortage;
        if (known == null && found != null) {
            known = runtimeMessage + "\n" + found;
            explained = known;
        }
        return known == null ? runtimeMessage : known;
    }

    @Serial
    private void writeObject(ObjectOutputStream out) throws IOException {
        explained = getMessage(); // The shortage is not written, its text is.
        out.defaultWriteObject();
    }
}
