package dev.meshguard.example.natives;

import dev.meshguard.closeables.NativeHandles;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;

/** Tracks each pointer that this thread allocates before the scope is closed, in code that nobody changed. */
final class TrackedPointers extends PointerScope {

    private final NativeHandles handles;

    TrackedPointers(NativeHandles handles) {
        this.handles = handles.freedOnCollection().skipping(TrackedPointers.class.getName(), "org.bytedeco.javacpp.");
    }

    @Override
    public PointerScope attach(Pointer pointer) {
        handles.track(pointer, one -> one.isNull(), pointer.capacity() * pointer.sizeof());
        return this;
    }
}
