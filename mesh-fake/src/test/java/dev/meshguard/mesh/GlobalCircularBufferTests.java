package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.GlobalCircularBuffer.SenderReceivers;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreCoord;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests global circular buffers: two sharded buffers on senders and receivers, and circular buffers of programs in them. */
class GlobalCircularBufferTests {

    /** The cores and the size of the runtime's own Python test. */
    private static final List<SenderReceivers> MAPPING = List.of(
            new SenderReceivers(new CoreCoord(1, 1), CoreRangeSet.of(new CoreRange(4, 4, 4, 4))),
            new SenderReceivers(new CoreCoord(2, 2), CoreRangeSet.of(new CoreRange(2, 3, 2, 4))));

    private static final long SIZE = 3_200;
    private static final long TOP_OF_L1 = 1_499_136;

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 1));

    @Test
    void takesItsDataAndThenWhatEachCoreHasToKnow() {
        reports.forget();

        GlobalCircularBuffer buffer = ttnn.createGlobalCircularBuffer(mesh, MAPPING, SIZE);

        assertThat(buffer.bufferAddress()).isEqualTo(TOP_OF_L1 - SIZE);
        assertThat(buffer.configAddress())
                .as("48 for words, 64 for counters, in a bank of 32s")
                .isEqualTo(TOP_OF_L1 - SIZE - 128);
        assertThat(reports.lines())
                .containsExactly("allocated 0 L1 1495936+16000 NON_OWNING", "allocated 0 L1 1495808+560 NON_OWNING");
        assertThat(reports.requests())
                .extracting(details -> details.owner().orElseThrow())
                .containsOnly(new Owner(Owner.Kind.OTHER, "global circular buffer 1"));
    }

    @Test
    void knowsWhoSendsAndWhoReceives() {
        GlobalCircularBuffer buffer = ttnn.createGlobalCircularBuffer(mesh, MAPPING, SIZE);

        assertThat(buffer.senderCores()).hasToString("{[1-1 - 1-1], [2-2 - 2-2]}");
        assertThat(buffer.receiverCores().numCores()).isEqualTo(3);
        assertThat(buffer.allCores().numCores()).isEqualTo(5);
    }

    @Test
    void freesBothBuffersOnceWhenClosed() {
        GlobalCircularBuffer buffer = ttnn.createGlobalCircularBuffer(mesh, MAPPING, SIZE);
        reports.forget();

        buffer.close();
        buffer.close();

        assertThat(reports.lines()).containsExactly("freed 0 L1 1495808 NON_OWNING", "freed 0 L1 1495936 NON_OWNING");
        assertThat(buffer.isAllocated()).isFalse();
        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isZero();
    }

    @Test
    void leavesNothingWhereTheSecondBufferDoesNotFit() {
        long all = mesh.statistics(BufferType.L1).largestFree();

        assertThatThrownBy(() -> ttnn.createGlobalCircularBuffer(mesh, MAPPING, all))
                .isInstanceOf(DeviceOutOfMemoryException.class);

        assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isZero();
    }

    @Test
    void liesInL1Only() {
        assertThatThrownBy(() -> ttnn.createGlobalCircularBuffer(mesh, MAPPING, SIZE, BufferType.DRAM))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Global circular buffer can only be created for L1 buffer types");
    }

    @Test
    void namesNoCoreTwice() {
        SenderReceivers first = MAPPING.get(0);

        assertThatThrownBy(() -> create(
                        first,
                        new SenderReceivers(first.sender(), MAPPING.get(1).receivers())))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Cannot create CoreRangeSet with specified core ranges because core ranges [1-1 - 1-1] and"
                        + " [1-1 - 1-1] overlap!");
        assertThatThrownBy(() -> create(first, new SenderReceivers(new CoreCoord(2, 2), first.receivers())))
                .hasMessage("Duplicate receiver cores found");
        assertThatThrownBy(() -> create(new SenderReceivers(new CoreCoord(4, 4), first.receivers())))
                .hasMessage("Duplicate cores found");
    }

    @Test
    void hasASenderAndASize() {
        assertThatThrownBy(this::create)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Cannot create a global circular buffer of 3200 B for 0 senders: it holds at least 1 B and at most"
                                + " 4294967295 B, and has at least one sender");
        assertThatThrownBy(() -> ttnn.createGlobalCircularBuffer(mesh, MAPPING, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void isWhereCircularBuffersWithARemoteIndexMayLie() {
        GlobalCircularBuffer global = ttnn.createGlobalCircularBuffer(mesh, MAPPING, SIZE);
        Program program = ttnn.createProgram("receive");
        CircularBufferConfig config = CircularBufferConfig.of(SIZE).on(global.receiverCores());

        CircularBuffer buffer = program.createCircularBuffer(config.atRemote(31, 1_600), global);

        assertThat(buffer.address()).isEqualTo(global.bufferAddress());
        assertThatThrownBy(() -> program.createCircularBuffer(config, global))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Remote buffer indices should be specified when using a GlobalCircularBuffer");
        assertThatThrownBy(() -> program.createCircularBuffer(config.atRemote(31, 1_600)))
                .hasMessage("Remote buffer indices are not supported without a GlobalCircularBuffer");
        assertThatThrownBy(() -> program.createCircularBuffer(
                        CircularBufferConfig.of(SIZE).atRemote(31, 1_600), global))
                .hasMessage("Specified cores are not contained in associated GlobalCircularBuffer");
    }

    @Test
    void takesInACircularBufferThatLayInAnother() {
        GlobalCircularBuffer first = ttnn.createGlobalCircularBuffer(mesh, MAPPING, SIZE);
        GlobalCircularBuffer second = ttnn.createGlobalCircularBuffer(mesh, MAPPING, SIZE);
        Program program = ttnn.createProgram("receive");
        CircularBuffer buffer = program.createCircularBuffer(
                CircularBufferConfig.of(SIZE).on(first.receiverCores()).atRemote(31, 1_600), first);

        program.updateDynamicCircularBufferAddress(buffer, second);

        assertThat(buffer.address()).isEqualTo(second.bufferAddress()).isNotEqualTo(first.bufferAddress());
    }

    @Test
    void saysWhatItIs() {
        GlobalCircularBuffer buffer = create(MAPPING.get(0));

        assertThat(buffer)
                .hasToString(
                        "GlobalCircularBuffer(global circular buffer 1, 3.13 KiB (3200 B) of L1 at 0x16d380 (1495936)"
                                + " on {[1-1 - 1-1], [4-4 - 4-4]})");
    }

    private GlobalCircularBuffer create(SenderReceivers... mapping) {
        return ttnn.createGlobalCircularBuffer(mesh, List.of(mapping), SIZE);
    }
}
