package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static dev.meshguard.mesh.Rejections.assertRuntimeErrorBeginning;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorLayout;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests handles that share a tensor's memory: the cases of the runtime's own test_device_storage.cpp and test_deallocate.py,
 * and more.
 */
class SharedTensorTests {

    private static final TensorShape SHAPE = TensorShape.of(32, 64);
    private static final String FREED_0 = "freed 0 DRAM 2968640 NON_OWNING";
    private static final String FREED_1 = "freed 1 DRAM 2968640 NON_OWNING";

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
    private final Tensor tensor = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);

    @Test
    void anAliasSharesTheMemory() {
        reports.forget();

        Tensor alias = tensor.alias();

        assertThat(reports.lines()).isEmpty();
        assertThat(alias.buffer()).isSameAs(tensor.buffer());
        assertThat(alias.spec()).isEqualTo(tensor.spec());
        assertThat(tensor.isSoleOwner()).isFalse();
        assertThat(alias.isSoleOwner()).isFalse();
    }

    @Test
    void aHandleThatIsClosedTwiceIsGivenUpOnce() {
        Tensor alias = tensor.alias();

        alias.close();
        alias.close();
        reports.forget();
        ttnn.deallocate(alias);

        assertThat(tensor.isAllocated()).isTrue();
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void aHandleThatWasClosedIsNotUsable() {
        Tensor alias = tensor.alias();

        alias.close();

        assertThat(alias.isAllocated()).isFalse();
        assertThat(alias.device()).isSameAs(mesh);
        assertThat(alias.shape()).isEqualTo(SHAPE);
        assertThat(alias).hasToString("Tensor((32, 64), BFLOAT16, <buffer is not allocated>)");
        assertNotAllocated(alias::buffer);
        assertNotAllocated(alias::alias);
    }

    @Test
    void isFreedForEverybodyByForce() {
        Tensor alias = tensor.alias();
        Tensor sameShape = tensor.reshape(SHAPE);
        Tensor view = tensor.reshape(TensorShape.of(1, 32, 64));

        ttnn.deallocate(alias);

        assertThat(view.isAllocated()).isFalse();
        assertNotAllocated(view::address);
        assertNotAllocated(() -> ttnn.add(sameShape, sameShape));
        assertNotAllocated(() -> tensor.reshape(TensorShape.of(1)));
        assertThat(tensor.isAllocated()).isFalse();
        assertThat(alias.isAllocated()).isFalse();
        assertThat(tensor.isSoleOwner()).isFalse();
        assertThat(reports.lines("freed")).containsExactly(FREED_0, FREED_1);
        assertNotAllocated(() -> ttnn.add(tensor, tensor));
    }

    @Test
    void isNotFreedWithoutForceWhileOthersShareIt() {
        Tensor alias = tensor.alias();
        reports.forget();

        tensor.deallocate();

        assertThat(tensor.isAllocated()).isTrue();
        assertThat(alias.isAllocated()).isTrue();
        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 2968640 STILL_SHARED", "ignored 1 DRAM 2968640 STILL_SHARED");
    }

    @ParameterizedTest
    @EnumSource(ReportingModel.class)
    void isSeenInAnotherShapeWithoutTakingMemory(ReportingModel reporting) {
        Ttnn other = Ttnn.builder(reports).reporting(reporting).build();
        Tensor whole = other.empty(TensorShape.of(2, 32, 64), DataType.BFLOAT16, other.openMeshDevice());
        reports.forget();

        Tensor view = whole.reshape(TensorShape.of(64, 64));
        view.close();

        assertThat(reports.lines()).isEmpty();
        assertThat(view.shape()).isEqualTo(TensorShape.of(64, 64));
        assertThat(whole.shape()).isEqualTo(TensorShape.of(2, 32, 64));
    }

    @Test
    void contentsThatWouldHaveToMoveAreNotSeenInAnotherShape() {
        Tensor tiles = ttnn.empty(TensorShape.of(64, 32), DataType.BFLOAT16, mesh);
        Tensor padded = ttnn.empty(TensorShape.of(2, 16, 32), DataType.BFLOAT16, mesh);
        Tensor rows = ttnn.empty(padded.spec().withLayout(TensorLayout.ROW_MAJOR), mesh);

        assertThat(tiles.reshape(TensorShape.of(2, 32, 32)).isAllocated()).isTrue();
        assertThat(rows.reshape(TensorShape.of(32, 32)).address()).isEqualTo(rows.address());
        assertIllegalArgument(
                () -> padded.reshape(TensorShape.of(32, 32)),
                "Cannot see a (2, 16, 32) tensor as (32, 32) without moving its contents: the last dimension on each"
                        + " device must stay the same, and in tiles the last but one must stay or be a multiple of 32."
                        + " Use ttnn.reshape.");
    }

    @Test
    void rejectsAShapeOfAnotherVolume() {
        assertRuntimeError(
                () -> ttnn.reshape(tensor, TensorShape.of(32, 32)),
                "Attempting to reshape between two shapes with different volumes");
    }

    @Test
    void whatLiesOnEachDeviceDecidesWhetherTheContentsStay() {
        Tensor sharded = ttnn.empty(TensorShape.of(64, 128), DataType.BFLOAT16, mesh, TensorDistribution.sharded(-1));

        assertThat(sharded.reshape(TensorShape.of(2, 32, 128)).address()).isEqualTo(sharded.address());
        assertThatThrownBy(() -> sharded.reshape(TensorShape.of(128, 64)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Cannot see a (64, 128) tensor as (128, 64) without moving its contents");
    }

    @Test
    void aReshapeThatMovesContentsIsAnOperation() {
        Ttnn more = Ttnn.builder(reports)
                .operations(OperationProfile.of("reshape", 1))
                .build();
        Tensor before = more.empty(TensorShape.of(32, 64), DataType.BFLOAT16, more.openMeshDevice());

        Tensor after = more.reshape(before, TensorShape.of(64, 32));

        assertThat(after.address()).isNotEqualTo(before.address());
        assertThat(before.isSoleOwner()).isTrue();
        assertThat(before.device().numProgramCacheEntries()).isEqualTo(1);
    }

    @Test
    void namesTheInputsThatWereFreed() {
        Tensor freed = tensor.alias();
        Tensor live = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        ttnn.deallocate(freed);

        try (LoggedLines log = LoggedLines.of(Ttnn.class)) {
            assertNotAllocated(() -> ttnn.launch("add", live.spec(), live, tensor, freed));

            assertThat(log.all())
                    .containsExactly(
                            "WARN Tensor at index 1 is not allocated", "WARN Tensor at index 2 is not allocated");
        }
    }

    private static void assertNotAllocated(ThrowingCallable use) {
        assertRuntimeErrorBeginning(use, "Tensor is not allocated\n");
    }

    @Test
    void canBeMadeOfABufferAndTakesItOver() {
        MeshBuffer buffer = mesh.allocate(BufferType.L1, 4_096);

        Tensor made = Tensor.of(buffer, TensorSpec.of(SHAPE, DataType.BFLOAT16).in(BufferType.L1));
        made.close();

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
    }

    @Test
    void needsABufferThatIsThereAndLargeEnough() {
        MeshBuffer small = mesh.allocate(BufferType.DRAM, 2_048);
        MeshBuffer freed = mesh.allocate(BufferType.DRAM, 4_096);
        freed.deallocate();
        TensorSpec spec = TensorSpec.of(SHAPE, DataType.BFLOAT16);

        assertRuntimeError(() -> Tensor.of(null, spec), "MeshBuffer cannot be nullptr.");
        assertRuntimeErrorBeginning(() -> Tensor.of(freed, spec), "MeshBuffer must be allocated.\nMeshBuffer(DRAM, ");
        assertRuntimeError(() -> Tensor.of(small, spec), "MeshBuffer must be large enough to hold the tensor.");
    }

    @Test
    void cannotSayOnWhichMeshItLaysOnceThatIsDestroyed() {
        mesh.destroy();

        assertThat(tensor.isAllocated()).isFalse();
        assertRuntimeError(tensor::device, "Can't get device from mesh buffer, already deallocated");
    }

    @Test
    void manyThreadsMayShareIt() throws Exception {
        Callable<Void> share = () -> {
            for (int round = 0; round < 1_000; round++) {
                Tensor alias = tensor.alias();
                Tensor view = alias.reshape(TensorShape.of(1, 32, 64));
                alias.close();
                view.close();
            }
            return null;
        };
        ExecutorService threads = Executors.newFixedThreadPool(4);

        for (Future<Void> done : threads.invokeAll(Collections.nCopies(4, share))) {
            done.get();
        }
        threads.shutdown();

        assertThat(tensor.isSoleOwner()).isTrue();
        assertThat(reports.lines("freed")).isEmpty();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
    }
}
