package dev.meshguard.junit;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.Publishes;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.Strictness;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test configures its runtime and the arguments with which its mesh is opened. */
class RuntimeChoiceTests implements WithFixtures {

    static class RegionsTestCase {
        @Test
        @TrackAllocations
        @FakeMesh(l1SmallSize = 32_768, traceRegionSize = 1_048_576)
        void theMeshIsOpenedWithTheRegionsAskedFor(MeshDevice mesh) {
            Assertions.assertThat(mesh.statistics(BufferType.L1_SMALL).totalAllocatable())
                    .isEqualTo(32_768);
            Assertions.assertThat(mesh.statistics(BufferType.TRACE).totalAllocatable())
                    .isEqualTo(1_048_576);
        }
    }

    static class StrictTestCase {
        @Test
        @TrackAllocations
        @FakeMesh(strictness = Strictness.STRICT)
        void aStrictRuntimeRejectsWhatTheRealOneAccepts(Ttnn ttnn, MeshDevice mesh) {
            Assertions.assertThatThrownBy(() -> ttnn.openMeshDevice(mesh.shape()))
                    .hasMessageStartingWith("Cannot open a 2x4 mesh");
        }
    }

    static class OpeningTestCase {
        @RegisterExtension
        static final MeshGuardExtension MESH_GUARD = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder()
                        .mesh(1, 2)
                        .opening(MeshDeviceOptions.defaults().withTraceRegionSize(4_096))
                        .build())
                .build();

        @Test
        void theBuilderChoosesTheArgumentsOfTheOpening(MeshDevice mesh) {
            Assertions.assertThat(mesh.shape()).isEqualTo(MeshShape.of(1, 2));
            Assertions.assertThat(mesh.statistics(BufferType.TRACE).totalAllocatable())
                    .isEqualTo(4_096);
        }
    }

    /** Both meshes have kernel binaries at the same addresses, which is no leak. */
    @TrackAllocations(check = AllocationCheck.NO_LEAKS)
    static class OpenSubmeshTestCase {
        @Test
        @Publishes("OVERLAP  two meshes held the same memory at a time")
        void submeshesThatWereLeftOpenAreClosedBeforeTheirMesh(Ttnn ttnn, MeshDevice mesh) {
            for (MeshDevice busy : List.of(mesh, mesh.createSubmesh(MeshShape.of(1, 2)))) {
                Tensor tensor = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, busy);
                ttnn.add(tensor, tensor).close();
                tensor.close();
            }
        }

        @Test
        @TrackAllocations
        @MustFail(
                text = {
                    "OVERLAP  two meshes held the same memory at a time",
                    "rerun mvn test -Dtest='RuntimeChoiceTests$OpenSubmeshTestCase#memoryThatTwoMeshesHeldFailsTheTest'"
                })
        void memoryThatTwoMeshesHeldFailsTheTest(Ttnn ttnn, MeshDevice mesh) {
            submeshesThatWereLeftOpenAreClosedBeforeTheirMesh(ttnn, mesh);
        }

        @Test
        @MustFail(
                text = "note    mesh 1 was still open although mesh 0, of which it is a part, was closed;"
                        + " MeshGuard cleared its program cache and closed it")
        void aSubmeshThatOutlivesItsParentIsNamed(MeshDevice mesh) {
            Buffers.take(mesh.createSubmesh(MeshShape.of(1, 2)));
            mesh.close();
        }
    }
}
