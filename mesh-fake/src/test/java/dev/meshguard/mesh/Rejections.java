package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions on calls that are rejected, with the whole text of the error. */
public final class Rejections {

    private Rejections() {}

    public static void assertRuntimeError(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(MeshRuntimeException.class).hasMessage(message);
    }

    public static void assertOutOfMemory(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(DeviceOutOfMemoryException.class).hasMessage(message);
    }

    public static void assertIllegalArgument(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    public static void assertIllegalState(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalStateException.class).hasMessage(message);
    }

    /** Asserts that a call fails because mesh 0 is closed. */
    public static void assertMeshIsClosed(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("SubDeviceManagerTracker is not initialized on MeshDevice 0.");
    }
}
