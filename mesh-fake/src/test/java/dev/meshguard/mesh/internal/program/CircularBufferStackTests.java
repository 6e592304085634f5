package dev.meshguard.mesh.internal.program;

import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.mesh.buffer.CoreRange;
import org.junit.jupiter.api.Test;

/** Tests the L1 stack of circular buffers on one range of cores. */
class CircularBufferStackTests {

    private final CircularBufferStack stack = new CircularBufferStack(new CoreRange(0, 0, 0, 0));

    @Test
    void endsNowhereWithoutABuffer() {
        assertThat(stack.isEmpty()).isTrue();
        assertThat(stack.end()).isZero();
    }

    @Test
    void growsUpwardsWithOrWithoutAGap() {
        stack.mark(100, 28, 100);
        stack.mark(128, 10, 100);
        stack.mark(160, 40, 100);

        assertThat(stack.end()).isEqualTo(200);
    }

    @Test
    void takesNothingBelowItsEnd() {
        stack.mark(100, 28, 100);
        stack.mark(160, 40, 100);

        assertRuntimeError(
                () -> stack.mark(128, 10, 100),
                "Local buffer address 128 has to append to last L1 region [160, 200) or be at a higher address");
        assertThat(stack.end()).isEqualTo(200);
    }
}
