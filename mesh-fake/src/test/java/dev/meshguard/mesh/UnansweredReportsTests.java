package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationListener;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a listener that returns {@code null}, like a mock. */
class UnansweredReportsTests {

    private static final TensorShape TILE = TensorShape.of(32, 32);

    private final List<String> calls = new ArrayList<>();

    @Test
    void receivesEveryReportLikeAnyOther() {
        runOn(Ttnn.builder(unanswering()));

        assertThat(calls)
                .contains(
                        "request", "allocated", "release", "freed", "freeIgnored", "phase", "meshOpened", "meshClosed");
    }

    @Test
    void isReturnedByItsMesh() {
        AllocationListener listener = unanswering();

        assertThat(Ttnn.create(listener).openMeshDevice(MeshShape.of(1, 1)).listener())
                .isSameAs(listener);
    }

    @ParameterizedTest
    @EnumSource
    void needsNoAnswerWhateverIsWrongWithTheRuntime(RuntimeDefect defect) {
        assertThatCode(() -> runOn(Ttnn.builder(unanswering()).defects(defect))).doesNotThrowAnyException();
    }

    @Test
    void needsNoAnswerOfAStrictRuntime() {
        assertThatThrownBy(() -> runOn(Ttnn.builder(unanswering()).strict()))
                .isInstanceOf(BufferMisuseException.class)
                .hasMessageContaining("it was freed before");
    }

    private static void runOn(Ttnn.Builder builder) {
        Ttnn ttnn = builder.build();
        try (MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2))) {
            Tensor tensor = ttnn.empty(TILE, DataType.BFLOAT16, mesh);
            Tensor sum = ttnn.add(tensor, tensor);
            ttnn.deallocate(sum);
            ttnn.deallocate(sum);
            mesh.disableAndClearProgramCache();
            tensor.close();
        }
        ttnn.openMeshDevice(MeshShape.of(1, 1)).close();
    }

    private AllocationListener unanswering() {
        return (AllocationListener) Proxy.newProxyInstance(
                AllocationListener.class.getClassLoader(),
                new Class<?>[] {AllocationListener.class},
                (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    return null;
                });
    }
}
