package dev.meshguard.example;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.template.RepeatUntilStable;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Leaks in each way in which a test can; the build has to fail. Run with {@code -Dtest='Leaking*'}. */
@TrackAllocations
class LeakingTestCase {

    @Test
    void leaks(Ttnn ttnn, MeshDevice mesh) {
        leak(ttnn, mesh);
    }

    @TestFactory
    Stream<DynamicTest> leaksInADynamicTest(Ttnn ttnn, MeshDevice mesh) {
        return Stream.of(DynamicTest.dynamicTest("leaks", () -> leak(ttnn, mesh)));
    }

    @RepeatUntilStable
    void grows(Ttnn ttnn, MeshDevice mesh) {
        leak(ttnn, mesh);
    }

    static void leak(Ttnn ttnn, MeshDevice mesh) {
        ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
    }
}
