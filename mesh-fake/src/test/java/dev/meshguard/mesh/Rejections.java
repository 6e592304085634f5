package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions on calls that are rejected, with the text of the error. */
public final class Rejections {

    private Rejections() {}

    public static void assertRuntimeError(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(MeshRuntimeException.class).hasMessage(message);
    }

    /** Asserts that the runtime rejects a call with an error of which only the beginning is of interest here. */
    public static void assertRuntimeErrorBeginning(ThrowingCallable call, String beginning) {
        assertThatThrownBy(call).isInstanceOf(MeshRuntimeException.class).hasMessageStartingWith(beginning);
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
        assertRuntimeErrorBeginning(call, "SubDeviceManagerTracker is not initialized on MeshDevice 0.");
    }
}
