package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertMeshIsClosed;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorLayout;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests tensors and operations on them. */
class TensorTests {

    private static final TensorShape TILE = TensorShape.of(32, 32);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
    private final Ttnn tracked = Ttnn.create(AllocationTracker.builder()
            .originCapture(OriginCapture.ALLOCATIONS_AND_FREES)
            .build());

    @Test
    void liesInTheMemoryAndLayoutThatIsAskedFor() {
        Tensor tensor = ttnn.empty(
                TensorSpec.of(TensorShape.of(4, 100), DataType.FLOAT32)
                        .withLayout(TensorLayout.ROW_MAJOR)
                        .in(BufferType.L1),
                mesh);

        assertThat(tensor.buffer().type()).isEqualTo(BufferType.L1);
        assertThat(tensor.buffer().size()).isEqualTo(1_600);
        assertThat(tensor.buffer().config().pageSize()).isEqualTo(400);
    }

    @Test
    void cannotBeUsedOnceFreed() {
        Tensor freed = tile();
        freed.deallocate();

        assertRuntimeError(
                freed::address,
                "Tensor is not allocated\nTensor((32, 32), BFLOAT16) was freed; @TrackAllocations(origins = ALLOCATIONS_AND_FREES),"
                        + " or a tracker with these origins, shows where");
        assertRuntimeError(
                () -> ttnn.add(freed, freed),
                "Tensor is not allocated\nInputs 0 and 1 of add: Tensor((32, 32), BFLOAT16) was freed; @TrackAllocations(origins = ALLOCATIONS_AND_FREES),"
                        + " or a tracker with these origins, shows where");
    }

    @Test
    void saysWhichInputsWereFreedAndWhere() {
        MeshDevice one = tracked.openMeshDevice(MeshShape.of(1, 1));
        Tensor live = tracked.empty(TILE, DataType.BFLOAT16, one);
        Tensor weights = tracked.empty(TensorSpec.of(TILE, DataType.BFLOAT16).named("weights"), one);
        Tensor other = tracked.empty(TILE, DataType.BFLOAT16, one);
        tracked.deallocate(weights);
        other.close();

        assertThat(errorOf(() -> tracked.launch("add", live.spec(), live, weights, other)))
                .isEqualTo("""
                        Tensor is not allocated
                        Input 1 of add: Tensor(weights, (32, 32), BFLOAT16) was freed
                           at dev.meshguard.mesh.TensorTests.saysWhichInputsWereFreedAndWhere(TensorTests.java)
                        Input 2 of add: Tensor((32, 32), BFLOAT16) was freed
                           at dev.meshguard.mesh.TensorTests.saysWhichInputsWereFreedAndWhere(TensorTests.java)""");
    }

    @Test
    void saysWhereTheTensorWasFreedThatIsUsedByItself() {
        MeshDevice one = tracked.openMeshDevice(MeshShape.of(1, 1));
        Tensor freed = tracked.empty(TILE, DataType.BFLOAT16, one);
        MeshBuffer buffer = freed.buffer();
        tracked.deallocate(freed);
        String wasFreed = """
                        Tensor((32, 32), BFLOAT16) was freed
                           at dev.meshguard.mesh.TensorTests.saysWhereTheTensorWasFreedThatIsUsedByItself(TensorTests.java)""";

        assertThat(errorOf(freed::buffer)).isEqualTo("Tensor is not allocated\n" + wasFreed);
        assertThat(errorOf(freed::alias)).isEqualTo("Tensor is not allocated\n" + wasFreed);
        assertThat(errorOf(() -> freed.reshape(TILE))).isEqualTo("Tensor is not allocated\n" + wasFreed);
        assertThat(errorOf(() -> tracked.reshape(freed, TILE)))
                .isEqualTo("Tensor is not allocated\nInput 0 of reshape: " + wasFreed);
        assertThat(errorOf(() -> tracked.reallocate(freed)))
                .isEqualTo("Move: Expected input tensor to be allocated\n" + wasFreed);
        assertThat(errorOf(() -> Tensor.of(buffer, freed.spec())))
                .startsWith("MeshBuffer must be allocated.\nMeshBuffer(DRAM, ")
                .endsWith(wasFreed.substring(wasFreed.indexOf(" was freed")));
    }

    @Test
    void saysOfATensorThatItWasClosedOrItsMeshDestroyed() {
        Tensor closed = tile();
        Tensor left = closed.alias();
        closed.close();

        assertThatThrownBy(() -> ttnn.add(left, closed))
                .hasMessage("Tensor is not allocated\nInput 1 of add: Tensor((32, 32), BFLOAT16) was closed");

        mesh.close();
        mesh.destroy();

        assertThatThrownBy(() -> ttnn.add(left, left))
                .hasMessage(
                        "Tensor is not allocated\nInputs 0 and 1 of add: Tensor((32, 32), BFLOAT16) is gone: mesh 0 was"
                                + " destroyed");
    }

    private Tensor tile() {
        return ttnn.empty(TILE, DataType.BFLOAT16, mesh);
    }

    /** Returns the text of the runtime's error, without the numbers of lines. */
    private static String errorOf(ThrowingCallable use) {
        return String.valueOf(
                        catchThrowableOfType(MeshRuntimeException.class, use).getMessage())
                .replaceAll("\\.java:\\d+", ".java");
    }

    @Test
    void reportsThatASecondFreeIsIgnoredUnlessItIsAClose() {
        Tensor tensor = tile();
        Tensor alias = tensor.alias();
        alias.close();
        tensor.close();
        tensor.close();
        reports.forget();

        tensor.deallocate();

        assertThat(reports.lines())
                .containsExactly("ignored 0 DRAM 2968640 ALREADY_FREED", "ignored 1 DRAM 2968640 ALREADY_FREED");
    }

    @Test
    void cannotBeUsedOnceItsMeshIsClosed() {
        Tensor tensor = tile();
        mesh.close();

        assertMeshIsClosed(() -> ttnn.add(tensor, tensor));
    }

    @Test
    void cannotBeShardedUnevenly() {
        assertIllegalArgument(
                () -> ttnn.empty(TensorShape.of(7, 32), DataType.BFLOAT16, mesh, TensorDistribution.sharded(0)),
                "Cannot shard dimension 0 of a (7, 32) tensor over 2 devices: 7 does not divide evenly by 2."
                        + " Pad the dimension to 8, or replicate the tensor.");
    }

    @Test
    void addsShardedAndReplicatedTensors() {
        Tensor sharded =
                ttnn.empty(TensorShape.of(2, 64, 32), DataType.BFLOAT16, mesh, TensorDistribution.sharded2d(2, 0));
        Tensor replicated = ttnn.empty(TensorShape.of(1, 32), DataType.BFLOAT16, mesh);

        Tensor sum = ttnn.add(replicated, sharded);

        assertThat(sum.shape()).isEqualTo(TensorShape.of(2, 64, 32));
        assertThat(sum.spec().distribution()).isEqualTo(TensorDistribution.sharded2d(2, 0));
        assertThat(sum.buffer().size()).isEqualTo(64 * 32 * 2);
    }

    @Test
    void addsInTheMemoryOfTheFirstAndMultipliesIntoDram() {
        Tensor inL1 = ttnn.empty(TensorSpec.of(TILE, DataType.BFLOAT16).in(BufferType.L1), mesh);

        assertThat(ttnn.add(inL1, inL1).buffer().type()).isEqualTo(BufferType.L1);
        assertThat(ttnn.matmul(inL1, inL1).buffer().type()).isEqualTo(BufferType.DRAM);
    }

    @Test
    void cannotCombineTensorsThatDoNotFit() {
        Tensor square = tile();
        Tensor wide = ttnn.empty(TensorShape.of(32, 64), DataType.BFLOAT16, mesh);
        Tensor high = ttnn.empty(TensorShape.of(64, 32), DataType.BFLOAT16, mesh);

        assertIllegalArgument(
                () -> ttnn.add(square, wide),
                "Cannot run add on tensors that are (32, 32) and (32, 64) on each device:"
                        + " 32 and 64 are neither equal nor 1");
        assertIllegalArgument(
                () -> ttnn.matmul(square, high),
                "Cannot run matmul on tensors that are (32, 32) and (64, 32) on each device:"
                        + " the last dimension of the first must be the last but one of the second");
    }

    @Test
    void cannotAddTensorsThatAreShardedDifferently() {
        Tensor rows = ttnn.empty(TensorShape.of(64, 32), DataType.BFLOAT16, mesh, TensorDistribution.sharded(0));
        Tensor columns = ttnn.empty(TensorShape.of(32, 64), DataType.BFLOAT16, mesh, TensorDistribution.sharded(1));

        assertThat(ttnn.add(tile(), rows).shape()).isEqualTo(TensorShape.of(64, 32));
        assertIllegalArgument(
                () -> ttnn.add(rows, columns),
                "Cannot run add on tensors that are sharded differently: Sharded[dimension=0] and"
                        + " Sharded[dimension=1]. Distribute both alike, or replicate one.");
    }

    @Test
    void cannotUseTensorsOfDifferentMeshes() {
        Tensor here = tile();
        Tensor there = ttnn.empty(TILE, DataType.BFLOAT16, ttnn.openDevice(7));

        assertIllegalArgument(
                () -> ttnn.add(here, there),
                "Cannot run add on tensors of mesh 0 and mesh 2: all inputs must lie on the same mesh");
    }

    @Test
    void compilesAnOperationOnceAndSaysThatItsProgramIsCachedAndThatItEnds() {
        Tensor a = tile();
        ttnn.add(a, a);
        ttnn.add(a, ttnn.empty(TensorSpec.of(TILE, DataType.BFLOAT16).named("bias"), mesh));
        assertThat(reports.lines("cached")).containsExactly("cached program 1 (add) in program cache");
        assertThat(reports.lines("allocated 0 L1")).hasSize(3);
        assertThat(mesh.numProgramCacheEntries()).isEqualTo(1);
        reports.forget();

        mesh.clearProgramCache();

        assertThat(reports.lines())
                .containsExactly(
                        "phase CACHE_CLEAR",
                        "freed 0 DRAM 1073739776 NON_OWNING",
                        "freed 1 DRAM 1073739776 NON_OWNING",
                        "freed 0 L1 103776 OWNING",
                        "freed 1 L1 103776 OWNING",
                        "freed 0 L1 107872 OWNING",
                        "freed 1 L1 107872 OWNING",
                        "freed 0 L1 111968 OWNING",
                        "freed 1 L1 111968 OWNING",
                        "ended program 1 (add)",
                        "end of phase CACHE_CLEAR");
        assertThat(mesh.numProgramCacheEntries()).isZero();
    }

    @Test
    void endsEveryProgramAtOnceWhileTheCacheIsDisabled() {
        mesh.disableAndClearProgramCache();

        ttnn.add(tile(), tile());

        assertThat(reports.lines("ended")).containsExactly("ended program 1 (add)");
        assertThat(reports.lines("cached")).isEmpty();
    }

    @Test
    void keepsAProgramWhoseCircularBuffersDoNotFitUntilTheCacheIsClearedButFreesItsResult() {
        mesh.allocate(BufferConfig.of(BufferType.L1, 64 * 1_390_000, 1_390_000));
        Tensor a = tile();
        reports.forget();

        assertThatThrownBy(() -> ttnn.add(a, a)).hasMessageContaining("clash with L1 buffers");

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 2970688+2048 NON_OWNING",
                        "allocated 1 DRAM 2970688+2048 NON_OWNING",
                        "cached program 1 (add) in program cache",
                        "freed 0 DRAM 2970688 NON_OWNING",
                        "freed 1 DRAM 2970688 NON_OWNING");
        assertThat(mesh.numProgramCacheEntries()).isOne();
        mesh.clearProgramCache();
        assertThat(reports.lines("ended")).containsExactly("ended program 1 (add)");
    }

    @Test
    void keepsAProgramWhoseBinaryDoesNotFitUntilTheCacheIsCleared() {
        Tensor a = tile();
        long allButOnePage = mesh.statistics(BufferType.DRAM).totalFree() - 2_048;
        mesh.allocate(BufferConfig.of(BufferType.DRAM, allButOnePage, allButOnePage));
        reports.forget();

        assertThatThrownBy(() -> ttnn.add(a, a)).isInstanceOf(DeviceOutOfMemoryException.class);

        assertThat(reports.lines("freed 1"))
                .containsExactly(
                        "freed 1 L1 103776 OWNING",
                        "freed 1 L1 107872 OWNING",
                        "freed 1 L1 111968 OWNING",
                        "freed 1 DRAM 1073739776 NON_OWNING");
        assertThat(mesh.numProgramCacheEntries()).isOne();
        reports.forget();
        mesh.clearProgramCache();
        assertThat(reports.lines("ended")).containsExactly("ended program 1 (add)");
        assertThat(reports.lines("freed")).isEmpty();
    }

    @Test
    void runsAnyOperationThatHasAProfileAndNoOther() {
        Ttnn more = Ttnn.builder(reports)
                .operations(OperationProfile.of("softmax", 9, 4))
                .build();
        Tensor a = more.empty(TILE, DataType.FLOAT32, more.openMeshDevice(MeshShape.of(1, 1)));
        reports.forget();

        Tensor result = more.launch("softmax", a.spec(), a);

        assertThat(result.shape()).isEqualTo(TILE);
        assertThat(reports.lines("allocated"))
                .containsExactly(
                        "allocated 0 DRAM 2972736+4096 NON_OWNING",
                        "allocated 0 L1 103776+16384 OWNING",
                        "allocated 0 DRAM 1073739776+18432 NON_OWNING");
        assertIllegalArgument(
                () -> ttnn.launch("softmax", a.spec(), a),
                "Cannot run softmax: it has no operation profile, so what it allocates is not known"
                        + " (known: add, matmul). Give it one with"
                        + " Ttnn.builder(listener).operations(OperationProfile.of(\"softmax\", ...)).");
    }
}
