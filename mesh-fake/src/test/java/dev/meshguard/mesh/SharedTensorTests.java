package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.OperationProfiles;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorLayout;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

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
    void aNewTensorIsTheSoleOwner() {
        assertThat(tensor.isSoleOwner()).isTrue();
    }

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
    void isTheSoleOwnerAgainOnceTheAliasIsClosed() {
        tensor.alias().close();

        assertThat(tensor.isSoleOwner()).isTrue();
    }

    @Test
    void freesTheMemoryWithTheLastHandle() {
        Tensor alias = tensor.alias();

        tensor.close();
        assertThat(reports.lines("freed")).isEmpty();
        assertThat(alias.isAllocated()).isTrue();
        alias.close();

        assertThat(reports.lines("freed")).containsExactly(FREED_0, FREED_1);
    }

    @Test
    void aHandleThatIsClosedTwiceIsGivenUpOnce() {
        Tensor alias = tensor.alias();

        alias.close();
        alias.close();

        assertThat(tensor.isAllocated()).isTrue();
        assertThat(reports.lines("freed")).isEmpty();
    }

    @Test
    void aHandleThatWasClosedIsNotUsable() {
        Tensor alias = tensor.alias();

        alias.close();

        assertThat(alias.isAllocated()).isFalse();
        assertThat(alias.device()).isSameAs(mesh);
        assertThat(alias.shape()).isEqualTo(SHAPE);
        assertThat(alias).hasToString("Tensor((32, 64), BFLOAT16, <buffer is not allocated>)");
        assertThatThrownBy(alias::buffer)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Tensor is not allocated\n");
        assertThatThrownBy(alias::alias)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Tensor is not allocated\n");
    }

    @Test
    void aHandleThatWasClosedFreesNothingOfOthers() {
        Tensor alias = tensor.alias();
        alias.close();
        reports.forget();

        ttnn.deallocate(alias);

        assertThat(tensor.isAllocated()).isTrue();
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void isFreedForEverybodyByForce() {
        Tensor alias = tensor.alias();

        ttnn.deallocate(alias);

        assertThat(tensor.isAllocated()).isFalse();
        assertThat(alias.isAllocated()).isFalse();
        assertThat(tensor.isSoleOwner()).isFalse();
        assertThat(reports.lines("freed")).containsExactly(FREED_0, FREED_1);
        assertThatThrownBy(() -> ttnn.add(tensor, tensor))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Tensor is not allocated\n");
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

    @Test
    void isFreedWithoutForceOnceNobodySharesIt() {
        Tensor alias = tensor.alias();
        tensor.deallocate();
        alias.close();

        ttnn.deallocate(tensor, false);

        assertThat(tensor.isAllocated()).isFalse();
        assertThat(reports.lines("freed")).containsExactly(FREED_0, FREED_1);
    }

    @Test
    void isFreedOnceHoweverOftenItIsAskedFor() {
        tensor.deallocate(true);
        reports.forget();

        tensor.deallocate(true);
        tensor.deallocate(false);
        tensor.close();

        assertThat(reports.lines())
                .containsExactly(
                        "ignored 0 DRAM 2968640 ALREADY_FREED",
                        "ignored 1 DRAM 2968640 ALREADY_FREED",
                        "ignored 0 DRAM 2968640 ALREADY_FREED",
                        "ignored 1 DRAM 2968640 ALREADY_FREED");
    }

    @Test
    void keepsItsAddressFromTheNextOneUntilTheLastHandleIsClosed() {
        Tensor alias = tensor.alias();
        long address = tensor.address();
        tensor.close();
        Tensor beside = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        alias.close();

        Tensor next = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);

        assertThat(beside.address()).isNotEqualTo(address);
        assertThat(next.address()).isEqualTo(address);
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
    void aViewLiesInTheBufferOfItsRoot() {
        Tensor view = tensor.reshape(TensorShape.of(1, 32, 64));

        assertThat(view.buffer()).isSameAs(tensor.buffer());
        assertThat(view.address()).isEqualTo(tensor.address());
    }

    @Test
    void aViewAndItsRootShareTheMemory() {
        Tensor view = tensor.reshape(TensorShape.of(1, 32, 64));

        assertThat(view.isSoleOwner()).isFalse();
        assertThat(tensor.isSoleOwner()).isFalse();
    }

    @Test
    void freeingAViewByForceFreesItsRoot() {
        Tensor view = tensor.reshape(TensorShape.of(1, 32, 64));

        view.deallocate(true);

        assertThat(view.isAllocated()).isFalse();
        assertThat(tensor.isAllocated()).isFalse();
        assertThat(reports.lines("freed")).containsExactly(FREED_0, FREED_1);
    }

    @Test
    void freeingTheRootByForceFreesItsViews() {
        Tensor view = tensor.reshape(TensorShape.of(1, 32, 64));

        tensor.deallocate(true);

        assertThat(view.isAllocated()).isFalse();
        assertThatThrownBy(view::address)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Tensor is not allocated\n");
    }

    @Test
    void aViewKeepsTheMemoryOfARootThatIsClosed() {
        Tensor view = tensor.reshape(TensorShape.of(1, 32, 64));

        tensor.close();
        assertThat(view.isAllocated()).isTrue();
        assertThat(view.isSoleOwner()).isTrue();
        view.deallocate();

        assertThat(reports.lines("freed")).containsExactly(FREED_0, FREED_1);
    }

    @Test
    void aViewOfAViewSharesTheMemoryOfTheRoot() {
        Tensor view = tensor.reshape(TensorShape.of(1, 32, 64));
        Tensor second = view.reshape(TensorShape.of(1, 1, 32, 64));

        view.close();
        assertThat(tensor.isSoleOwner()).isFalse();
        second.close();

        assertThat(tensor.isSoleOwner()).isTrue();
    }

    @Test
    void anAliasOfAViewKeepsTheViewsShareOfTheRoot() {
        Tensor view = tensor.reshape(TensorShape.of(1, 32, 64));
        Tensor alias = view.alias();

        view.close();
        tensor.deallocate();

        assertThat(alias.isAllocated()).isTrue();
        assertThat(reports.lines("freed")).isEmpty();
    }

    @Test
    void theSameShapeIsAnAlias() {
        Tensor same = tensor.reshape(SHAPE);

        ttnn.deallocate(tensor);

        assertThatThrownBy(() -> ttnn.add(same, same))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Tensor is not allocated\n");
    }

    @Test
    void theShapeOfWholeTilesMayBeCutAnew() {
        Tensor tiles = ttnn.empty(TensorShape.of(64, 32), DataType.BFLOAT16, mesh);

        assertThat(tiles.reshape(TensorShape.of(2, 32, 32)).isAllocated()).isTrue();
    }

    @Test
    void contentsThatWouldHaveToMoveAreNotSeenInAnotherShape() {
        Tensor padded = ttnn.empty(TensorShape.of(2, 16, 32), DataType.BFLOAT16, mesh);

        assertThatThrownBy(() -> padded.reshape(TensorShape.of(32, 32)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Cannot see a (2, 16, 32) tensor as (32, 32) without moving its contents: the last dimension on each"
                                + " device must stay the same, and in tiles the last but one must stay or be a multiple of 32."
                                + " Use ttnn.reshape.");
    }

    @Test
    void rowsMayBeCutAnewWhereThereAreNoTiles() {
        Tensor rows = ttnn.empty(
                TensorSpec.of(TensorShape.of(2, 16, 32), DataType.BFLOAT16).withLayout(TensorLayout.ROW_MAJOR), mesh);

        assertThat(rows.reshape(TensorShape.of(32, 32)).address()).isEqualTo(rows.address());
    }

    @Test
    void rejectsAShapeOfAnotherVolume() {
        assertThatThrownBy(() -> ttnn.reshape(tensor, TensorShape.of(32, 32)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Attempting to reshape between two shapes with different volumes");
    }

    @Test
    void aFreedTensorHasNoOtherShape() {
        tensor.deallocate();

        assertThatThrownBy(() -> tensor.reshape(TensorShape.of(1)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Tensor is not allocated\n");
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
                .operations(OperationProfiles.of(OperationProfile.of("reshape", 1)))
                .build();
        Tensor before = more.empty(TensorShape.of(32, 64), DataType.BFLOAT16, more.openMeshDevice());

        Tensor after = more.reshape(before, TensorShape.of(64, 32));

        assertThat(after.address()).isNotEqualTo(before.address());
        assertThat(before.isSoleOwner()).isTrue();
        assertThat(before.device().numProgramCacheEntries()).isEqualTo(1);
    }

    @Test
    void aReshapeThatMovesNothingIsAView() {
        reports.forget();

        Tensor view = ttnn.reshape(tensor, TensorShape.of(1, 32, 64));

        assertThat(view.address()).isEqualTo(tensor.address());
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void namesTheInputsThatWereFreed() {
        var logger = (Logger) LoggerFactory.getLogger(Ttnn.class);
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        logger.addAppender(lines);
        Tensor freed = tensor.alias();
        Tensor live = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        ttnn.deallocate(freed);

        assertThatThrownBy(() -> ttnn.launch("add", live.spec(), live, tensor, freed))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("Tensor is not allocated\n");

        logger.detachAppender(lines);
        assertThat(lines.list)
                .extracting(line -> line.getLevel() + " " + line.getFormattedMessage())
                .containsExactly("WARN Tensor at index 1 is not allocated", "WARN Tensor at index 2 is not allocated");
    }

    @Test
    void canBeMadeOfABufferAndTakesItOver() {
        MeshBuffer buffer = mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, 4_096, 2_048)));

        Tensor made = Tensor.of(buffer, TensorSpec.of(SHAPE, DataType.BFLOAT16).in(BufferType.L1));
        made.close();

        assertThat(buffer.state()).isEqualTo(MeshBuffer.State.DEALLOCATED);
    }

    @Test
    void needsABufferThatIsThereAndLargeEnough() {
        MeshBuffer small = mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 2_048, 2_048)));
        MeshBuffer freed = mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 4_096, 2_048)));
        freed.deallocate();
        TensorSpec spec = TensorSpec.of(SHAPE, DataType.BFLOAT16);

        assertThatThrownBy(() -> Tensor.of(null, spec))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("MeshBuffer cannot be nullptr.");
        assertThatThrownBy(() -> Tensor.of(freed, spec))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("MeshBuffer must be allocated.\nMeshBuffer(DRAM, ");
        assertThatThrownBy(() -> Tensor.of(small, spec))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("MeshBuffer must be large enough to hold the tensor.");
    }

    @Test
    void isFreedAfterTheCloseThroughTheLastHandle() {
        Tensor alias = tensor.alias();
        mesh.close();
        reports.forget();

        tensor.close();
        alias.close();

        assertThat(reports.lines()).containsExactly(FREED_0, FREED_1);
    }

    @Test
    void cannotSayOnWhichMeshItLaysOnceThatIsDestroyed() {
        mesh.destroy();

        assertThat(tensor.isAllocated()).isFalse();
        assertThatThrownBy(tensor::device)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Can't get device from mesh buffer, already deallocated");
    }

    @Test
    void manyThreadsMayShareIt() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> work = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            work.add(threads.submit(() -> {
                for (int round = 0; round < 1_000; round++) {
                    Tensor alias = tensor.alias();
                    Tensor view = alias.reshape(TensorShape.of(1, 32, 64));
                    alias.close();
                    view.close();
                }
            }));
        }
        for (Future<?> one : work) {
            one.get();
        }
        threads.shutdown();

        assertThat(tensor.isSoleOwner()).isTrue();
        assertThat(reports.lines("freed")).isEmpty();
        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2_048);
    }
}
