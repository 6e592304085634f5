package dev.meshguard.mesh.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshShape;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The figures are those of {@code tests/tt_metal/distributed/test_mesh_buffer.cpp}, on a mesh of 2x4. */
class MeshBufferConfigTests {

    private static final MeshShape MESH = MeshShape.of(2, 4);
    private static final DeviceLocalBufferConfig PAGES = DeviceLocalBufferConfig.of(BufferType.DRAM, 1_024);

    private static ShardedBufferConfig sharded(int height, int width, int shardHeight, int shardWidth) {
        return ShardedBufferConfig.of(
                4L * height * width, new Shape2D(height, width), new Shape2D(shardHeight, shardWidth));
    }

    private static void assertRuntimeError(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(MeshRuntimeException.class).hasMessage(message);
    }

    @Test
    void givesEachDeviceAShard() {
        ShardedBufferConfig global = ShardedBufferConfig.of(16 << 10, new Shape2D(64, 128), new Shape2D(32, 32));

        MeshBufferConfig config = MeshBufferConfig.of(global, PAGES);

        global.requireFits(MESH);
        assertThat(config.datumSizeBytes()).isEqualTo(2);
        assertThat(config.global().size()).isEqualTo(16 << 10);
        assertThat(config.globalLayout()).isEqualTo(MeshBufferLayout.SHARDED);
        assertThat(config.deviceLocal()).isEqualTo(BufferConfig.of(BufferType.DRAM, 2 << 10, 1_024));
        assertThat(config.physicalShardShape()).isEqualTo(new Shape2D(32, 32));
    }

    @Test
    void givesEachDeviceTheWholeOfWhatIsReplicated() {
        MeshBufferConfig config = MeshBufferConfig.of(new ReplicatedBufferConfig(16 << 10), PAGES);

        assertThat(config).isEqualTo(MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 16 << 10, 1_024)));
        assertThat(config.global().size()).isEqualTo(16 << 10);
        assertThat(config.globalLayout()).isEqualTo(MeshBufferLayout.REPLICATED);
        assertThat(config.deviceLocal().size()).isEqualTo(16 << 10);
    }

    @Test
    void isAWholeNumberOfShards() {
        assertRuntimeError(
                () -> sharded(64, 128, 32, 120),
                "Global buffer shape must be aligned with the shard shape: requested buffer shape: (64, 128),"
                        + " shard shape: (32, 120)");
        assertRuntimeError(
                () -> sharded(64, 128, 0, 120),
                "Global buffer shape must be aligned with the shard shape: requested buffer shape: (64, 128),"
                        + " shard shape: (64, 120)");
    }

    @Test
    void hasAsManyShardsAsThereAreDevicesAtMost() {
        assertRuntimeError(
                () -> sharded(64, 128, 16, 16).requireFits(MESH),
                "The sharded tensor does not fit on the Mesh. Num shards in buffer 32, Num Devices 8");
    }

    /** {@code SweepShardAndConcat}. */
    @ParameterizedTest
    @CsvSource({
        "64, 128, 32, 32, 4096",
        "128, 128, 32, 64, 8192",
        "32, 1024, 32, 128, 16384",
        "1024, 32, 128, 32, 16384",
        "512, 64, 128, 32, 16384",
        "2048, 2048, 512, 1024, 2097152"
    })
    void fitsWithOneShardForEachDevice(int height, int width, int shardHeight, int shardWidth, long localSize) {
        ShardedBufferConfig global = sharded(height, width, shardHeight, shardWidth);

        global.requireFits(MESH);

        assertThat(global.deviceLocalSize()).isEqualTo(localSize);
    }

    /** {@code RowMajorShardingAndReplication}: a shard for each column of the mesh, the same in both rows. */
    @ParameterizedTest
    @CsvSource({"64, 256, 16384", "128, 128, 16384", "256, 2048, 524288", "32, 512, 16384", "512, 1024, 524288"})
    void repeatsShardsOfColumnsInEveryRow(int height, int width, long localSize) {
        ShardedBufferConfig global = sharded(height, width, 0, width / 4);

        global.requireFits(MESH);

        assertThat(global.deviceLocalSize()).isEqualTo(localSize);
        assertThat(global.physicalShardShape()).isEqualTo(new Shape2D(height, width / 4));
    }

    @Test
    void repeatsShardsInEveryRow() {
        sharded(64, 64, 16, 0).requireFits(MESH);

        assertRuntimeError(
                () -> sharded(64, 64, 8, 0).requireFits(MESH),
                "The sharded tensor does not fit on the Mesh. Num shards in buffer 16, Num Devices 8");
    }

    @Test
    void isOnEveryDeviceWhereNeitherSideIsCut() {
        ShardedBufferConfig whole = sharded(64, 64, 0, 0);

        whole.requireFits(MESH);

        assertThat(whole.deviceLocalSize()).isEqualTo(16_384);
    }

    @Test
    void hasNoGlobalShardSpecIfItIsReplicated() {
        MeshBufferConfig replicated = MeshBufferConfig.of(new ReplicatedBufferConfig(1_024), PAGES);

        assertRuntimeError(
                replicated::globalShardSpec, "Can only query the global shard spec for a sharded MeshBuffer");
        assertRuntimeError(replicated::datumSizeBytes, "Can only query datum size for buffers sharded across the Mesh");
        assertRuntimeError(
                replicated::physicalShardShape,
                "Can only query physical shard shape for buffers sharded across the Mesh");
    }

    @Test
    void givesEachDeviceWholePages() {
        assertThatThrownBy(() ->
                        MeshBufferConfig.of(sharded(64, 64, 32, 1), DeviceLocalBufferConfig.of(BufferType.DRAM, 96)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageStartingWith("For valid non-interleaved buffers page size 96 must equal buffer size 128.");
    }

    @Test
    void agreesWithItselfOnWhatEachDeviceGets() {
        BufferConfig two = BufferConfig.of(BufferType.DRAM, 2_048, 1_024);

        assertThatThrownBy(() -> new MeshBufferConfig(new ReplicatedBufferConfig(1_024), two))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot give each device a buffer of 2048 B:"
                        + " ReplicatedBufferConfig[size=1024] leaves 1024 B for each");
    }

    @Test
    void hasAnElement() {
        assertThatThrownBy(() -> ShardedBufferConfig.of(64, new Shape2D(0, 32), new Shape2D(0, 32)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot shard 64 B of shape (0, 32):"
                        + " the size must be 0 B or more, and both sides of the shape 1 or more");
    }
}
