package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.shape.MeshShape;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests buffers on single devices: the positions of their pages, their views, and their end. */
class BufferTests {

    private static final CoreRangeSet FOUR_CORES = CoreRangeSet.of(new CoreRange(0, 0, 3, 0));
    private static final BufferConfig PAGE = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);
    private static final BufferConfig PAGES = BufferConfig.of(BufferType.DRAM, 2_048, 32);
    private static final BufferConfig SHARDS =
            BufferConfig.of(BufferType.L1, 8 * 64, 64).heightSharded(FOUR_CORES);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

    private static MeshDevice openBlackhole() {
        return Ttnn.builder(new RecordedReports())
                .architecture(Architecture.BLACKHOLE)
                .build()
                .openMeshDevice(MeshShape.of(1, 1));
    }

    private static void assertRuntimeError(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(MeshRuntimeException.class).hasMessage(message);
    }

    @Nested
    class Sizes {

        /** Quirk Q5: pages in L1 are a multiple of 16 B, blocks one of the alignment of DRAM. */
        @Test
        void inL1AreRoundedUpToTheAlignmentOfDram() {
            BufferConfig sixteenBytesPerCore =
                    BufferConfig.of(BufferType.L1, 64, 16).heightSharded(FOUR_CORES);
            MeshDevice blackhole = openBlackhole();

            long first = mesh.allocateOn(0, sixteenBytesPerCore).address();
            long firstOnBlackhole = blackhole.allocateOn(0, sixteenBytesPerCore).address();

            assertThat(mesh.allocateOn(0, sixteenBytesPerCore).address()).isEqualTo(first - 32);
            assertThat(blackhole.allocateOn(0, sixteenBytesPerCore).address()).isEqualTo(firstOnBlackhole - 64);
        }

        /** Quirk Q7. */
        @Test
        void areAPageInEveryBankHoweverFewPagesThereAre() {
            MeshBuffer onePage = mesh.allocate(MeshBufferConfig.replicated(PAGE));
            MeshBuffer twelvePages =
                    mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.DRAM, 12 * 2_048, 2_048)));

            assertThat(twelvePages.address()).isEqualTo(onePage.address() + 2_048);
            assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isEqualTo(2 * 2_048);
        }

        /** Quirk Q14. */
        @Test
        void ofZeroTakeNothingAndAreSeenByNobody() {
            reports.forget();

            Buffer empty = mesh.allocateOn(0, BufferConfig.of(BufferType.DRAM, 0, 2_048));

            assertThat(empty.isAllocated()).isTrue();
            assertThat(empty.address()).isZero();
            empty.deallocate();
            assertThat(empty.isAllocated()).isFalse();
            assertThat(reports.lines()).isEmpty();
        }

        /** {@code MeshAllocatorTest.BasicAllocationSanityCheck}: eight pages in eight of the 64 banks. */
        @Test
        void ofABufferInL1AreSpreadOverTheCores() {
            MeshBuffer buffer =
                    mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(BufferType.L1, 8 * 1_024, 1_024)));

            assertThat(buffer.isAllocated()).isTrue();
            assertThat(buffer.size()).isEqualTo(8_192);
            assertThat(buffer.type()).isEqualTo(BufferType.L1);
            assertThat(buffer.address()).isEqualTo(1_499_136 - 1_024);
        }

        /** The shards of a grid of cores take the same of every core, also of those for which nothing is left. */
        @Test
        void ofShardsAreTakenInEveryBank() {
            mesh.allocate(MeshBufferConfig.replicated(
                    BufferConfig.of(BufferType.L1, 5 * 64, 64).heightSharded(FOUR_CORES)));

            assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isEqualTo(128);
        }
    }

    @Nested
    class AtAnAddress {

        @Test
        void stayAllocatedUntilTheyEnd() {
            Buffer buffer = mesh.viewOn(0, PAGE, 4_096);

            buffer.deallocate();
            buffer.deallocate();

            assertThat(buffer.isAllocated()).isTrue();
            buffer.close();
            assertThat(buffer.isAllocated()).isFalse();
            assertThat(reports.lines("freed")).isEmpty();
            assertThat(reports.lines("ignored")).isEmpty();
        }

        /** Quirk Q13. */
        @Test
        void haveAnAddressOf32Bits() {
            assertThat(mesh.viewOn(0, PAGE, 0xFFFF_FFFFL).address()).isEqualTo(4_294_967_295L);
            assertThatThrownBy(() -> mesh.viewOn(0, PAGE, 0x1_0000_0000L))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "There is no buffer at address 4294967296: an address is a number from 0 to 4294967295");
            assertThatThrownBy(() -> mesh.view(MeshBufferConfig.replicated(PAGE), -1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Nested
    class OnSubDevices {

        private final BufferConfig onTheFirst = SHARDS.on(new SubDeviceId(0));

        @Test
        void takeFromTheMeshWhereTheOnlySubDeviceIsAllOfIt() {
            MeshBuffer buffer = mesh.allocate(MeshBufferConfig.replicated(onTheFirst));

            assertThat(buffer.address()).isEqualTo(1_499_136 - 128);
            assertThat(mesh.statistics(BufferType.L1).totalAllocated()).isEqualTo(128);
        }

        @Test
        void needTheSubDeviceToExist() {
            BufferConfig onTheSecond = SHARDS.on(new SubDeviceId(1));

            assertRuntimeError(
                    () -> mesh.allocate(MeshBufferConfig.replicated(onTheSecond)), "SubDevice index 1 out of bounds 1");
        }

        @Test
        void needItsCores() {
            CoreRangeSet beyond = CoreRangeSet.of(new CoreRange(7, 0, 8, 0));
            BufferConfig outside = BufferConfig.of(BufferType.L1, 128, 64)
                    .heightSharded(beyond)
                    .on(new SubDeviceId(0));

            assertRuntimeError(
                    () -> mesh.allocate(MeshBufferConfig.replicated(outside)),
                    "Shard cores specified {[7-0 - 8-0]} do not match sub-device cores {[0-0 - 7-7]}");
        }

        @Test
        void areNotOnOneDeviceAlone() {
            assertThatThrownBy(() -> mesh.allocateOn(1, onTheFirst))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "Cannot create a buffer for sub-device 0 on device 1 alone: sub-devices belong to a mesh."
                                    + " Create it on the mesh, or name no sub-device.");
        }
    }
}
