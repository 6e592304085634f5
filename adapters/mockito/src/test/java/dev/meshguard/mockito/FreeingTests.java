package dev.meshguard.mockito;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.mockito.MockReports.allocating;
import static dev.meshguard.mockito.MockReports.freeing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.tracker.AllocationTracker;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

/** Tests the reports of mocked frees. */
@SuppressWarnings("DirectInvocationOnMock") // The tests are the code that uses the mocks.
class FreeingTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final UserDevice device = mock(UserDevice.class);

    @BeforeEach
    void reportCalls() {
        when(device.allocate(anyInt(), anyLong()))
                .thenAnswer(allocating(tracker, DRAM).onDeviceArgument(0));
        when(device.allocate(anyLong())).thenAnswer(allocating(tracker, L1).returning(call -> 0x1000L));
        when(device.allocateOnAll(anyList(), anyLong()))
                .thenAnswer(allocating(tracker, DRAM).onDeviceArgument(0));
        when(device.buffer(anyLong()))
                .thenAnswer(allocating(tracker, DRAM).returning(call -> new UserDevice.Buffer(0)));
        when(device.closeable(anyLong())).thenAnswer(allocating(tracker, DRAM).returningCloseables());
        when(device.named(anyLong())).thenAnswer(allocating(tracker, DRAM).returning(call -> "weights"));
        doAnswer(freeing(tracker)).when(device).free(anyLong());
        doAnswer(freeing(tracker).onDeviceArgument(0)).when(device).free(anyInt(), anyLong());
        doAnswer(freeing(tracker)).when(device).free(Mockito.<UserDevice.Buffer>any());
        doAnswer(freeing(tracker)).when(device).freeAll(anyList());
        doAnswer(freeing(tracker)).when(device).freeNamed(anyString());
    }

    @Test
    void findsTypeAndDeviceOfAnAddressByItself() {
        long address = device.allocate(3, 16);

        device.free(address);

        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 allocated DRAM 0x1000 (4096) on device 3, 16 B", "#3 freed DRAM 0x1000 (4096) on device 3");
    }

    @Test
    void freesOnTheDeviceThatIsNamedOnly() {
        long address = device.allocateOnAll(List.of(0, 1), 16);

        device.free(1, address);

        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 allocated DRAM 0x1000 (4096) on device 0, 16 B",
                        "#3 allocated DRAM 0x1000 (4096) on device 1, 16 B",
                        "#4 freed DRAM 0x1000 (4096) on device 1");
    }

    @Test
    void freesOnAllDevicesWhereNoneIsNamed() {
        long address = device.allocateOnAll(List.of(0, 1), 16);

        device.free(address);

        assertThat(tracker.liveBuffers()).isZero();
    }

    @Test
    void freesWhatAHandleStandsFor() {
        UserDevice.Buffer buffer = device.buffer(16);

        device.free(buffer);

        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 allocated DRAM 0x1000 (4096) on device 0, 16 B", "#3 freed DRAM 0x1000 (4096) on device 0");
    }

    @Test
    void aHandleThatAMockReturnsEachTimeFreesEachOfItsAllocations() {
        UserDevice.Buffer shared = new UserDevice.Buffer(0);
        doAnswer(allocating(tracker, DRAM).returning(call -> shared))
                .when(device)
                .buffer(anyLong());
        device.buffer(16);
        device.buffer(32);
        device.named(16);
        device.named(32);

        device.free(shared);
        device.freeNamed("weights");

        assertThat(tracker.liveBuffers()).isEqualTo(2);

        device.free(shared);
        device.freeNamed("weights");

        assertThat(tracker.liveBuffers()).isZero();
        assertThat(tracker.history().anomalies()).isEmpty();
    }

    @Test
    void freesEachHandleOfACollection() {
        device.freeAll(List.of(device.buffer(16), device.buffer(16)));

        assertThat(tracker.liveBuffers()).isZero();
    }

    @Test
    void freesEachAddressOfAnArray() {
        when(device.handleOf(anyLong())).thenAnswer(allocating(tracker, DRAM));
        doAnswer(freeing(tracker)).when(device).freeAll(any(int[].class));

        device.freeAll(device.handleOf(16), device.handleOf(16));

        assertThat(tracker.liveBuffers()).isZero();
    }

    @Test
    void freesAnArrayThatAMockReturnedAsOneHandle() {
        when(device.pages(anyLong())).thenAnswer(allocating(tracker, DRAM).returning(call -> new long[] {1, 2}));
        doAnswer(freeing(tracker)).when(device).freePages(any());

        device.freePages(device.pages(16));

        assertThat(tracker.liveBuffers()).isZero();
        assertThat(tracker.history().anomalies()).isEmpty();
    }

    @Test
    void freesWhatAnEqualValueOfTheJdkStandsFor() {
        device.named(16);

        device.freeNamed(String.valueOf("weights".toCharArray()));

        assertThat(tracker.liveBuffers()).isZero();
    }

    @Test
    void freesABufferOfTheJdkAndNoOtherOfEqualContents() {
        when(device.mapped(anyLong())).thenAnswer(allocating(tracker, DRAM).returning(call -> ByteBuffer.allocate(16)));
        doAnswer(freeing(tracker)).when(device).unmap(any());
        device.mapped(16);
        ByteBuffer freed = device.mapped(16);

        device.unmap(freed.put(0, (byte) 1));
        device.unmap(freed);

        assertThat(tracker.liveBuffers()).isOne();
    }

    @Test
    void freesWhatAMockStandsForThatIsClosed() {
        try (UserDevice.Closeable buffer = device.closeable(16)) {
            assertThat(buffer).isNotNull();
        }

        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 allocated DRAM 0x1000 (4096) on device 0, 16 B", "#3 freed DRAM 0x1000 (4096) on device 0");
    }

    @Test
    void leavesItToTheVerifierWhetherAMockWasClosed() {
        UserDevice.Closeable buffer = device.closeable(16);
        buffer.close();

        verify(buffer).close();

        assertThat(Events.of(tracker)).hasSize(2);
    }

    @Test
    void ignoresASecondCloseAndSaysSo() {
        UserDevice.Closeable buffer = device.closeable(16);

        buffer.close();
        buffer.close();

        assertThat(Events.of(tracker))
                .last()
                .isEqualTo("#4 free of DRAM 0x1000 (4096) on device 0 ignored, because it was freed before");
        dev.meshguard.assertions.LeakAssertions.assertThat(tracker).noLeaks().hasBalancedReports();
    }

    @Test
    void freesAMockThatIsTheHandleItself() {
        UserDevice.Closeable buffer = mock(UserDevice.Closeable.class);
        doAnswer(allocating(tracker, DRAM).returning(call -> buffer))
                .when(device)
                .closeable(anyLong());
        doAnswer(freeing(tracker)).when(buffer).close();

        device.closeable(16).close();

        assertThat(tracker.liveBuffers()).isZero();
    }

    @Test
    void freesOnTheAllocatingMesh() {
        doAnswer(allocating(tracker, DRAM).describedBy(AllocationDetails.user().onMesh(7)))
                .when(device)
                .allocate(anyLong());

        device.free(device.allocate(16));

        dev.meshguard.assertions.LeakAssertions.assertThat(tracker).noLeaks().hasBalancedReports();
    }

    @Test
    void freesNothingWhereTheMockThrows() {
        long address = device.allocate(0, 16);
        doAnswer(freeing(tracker).returning(call -> {
                    throw new IllegalStateException("device is gone");
                }))
                .when(device)
                .free(anyLong());

        assertThatThrownBy(() -> device.free(address)).hasMessage("device is gone");
        assertThat(tracker.liveBuffers()).isOne();
    }

    @Test
    void rejectsAFreeThatCouldMeanEitherOfTwoBuffersAtOneAddress() {
        device.allocate(0, 16);
        device.allocate(16);

        device.free(0x1000);

        assertThat(Events.of(tracker))
                .last()
                .isEqualTo(
                        "#4 1 report lost: UserDevice.free(long) freed 0x1000 (4096), which is allocated more than once: DRAM on"
                                + " device 0 and L1 on device 0. Say which with onDeviceArgument(index) or ofType(type)");
    }

    @Test
    void knowsWhichOfTwoIsMeantByItsType() {
        device.allocate(0, 16);
        device.allocate(16);
        doAnswer(freeing(tracker).ofType(L1)).when(device).free(anyLong());

        device.free(0x1000);

        assertThat(Events.of(tracker)).last().isEqualTo("#4 freed L1 0x1000 (4096) on device 0");
    }

    @Test
    void reportsAFreeOfAnAddressThatWasNeverAllocated() {
        device.free(0x7000);

        assertThat(Events.verdict(tracker))
                .contains(
                        "1. free of an unknown address: DRAM 0x7000 (28672) on device 0",
                        "   why   no buffer was ever reported there");
    }

    @Test
    void reportsAFreeOfAHandleThatWasNeverAllocated() {
        device.free(new UserDevice.Buffer(0));

        assertThat(Events.verdict(tracker))
                .contains(
                        "1. free of an unknown address: DRAM 0x1000 (4096) on device 0",
                        "the free was said to be of \"a Buffer that no mock has allocated\"");
    }

    @Test
    void reportsAFreeOfNull() {
        device.free((UserDevice.Buffer) null);

        assertThat(Events.verdict(tracker))
                .contains("no buffer was ever reported there; the free was said to be of \"null\"");
    }

    @Test
    void reportsASecondFreeOfAnAddress() {
        long address = device.allocate(0, 16);

        device.free(address);
        device.free(address);

        assertThat(Events.verdict(tracker))
                .contains(
                        "1. double free: DRAM 0x1000 (4096) on device 0",
                        "at dev.meshguard.mockito.FreeingTests.reportsASecondFreeOfAnAddress(",
                        "the buffer that was there, 16 B, was freed before");
    }

    @Test
    void reportsASecondFreeOfAHandle() {
        UserDevice.Buffer buffer = device.buffer(16);

        device.free(buffer);
        device.free(buffer);

        assertThat(Events.verdict(tracker))
                .contains(
                        "1. double free: DRAM 0x1000 (4096) on device 0",
                        "at dev.meshguard.mockito.FreeingTests.reportsASecondFreeOfAHandle(",
                        "the buffer that was there, 16 B, was freed before");
    }

    @Test
    void aSecondFreeTakesNothingFromWhoeverHasTheAddressNow() {
        doAnswer(allocating(tracker, DRAM).address(call -> 0x9000).returning(call -> new UserDevice.Buffer(0)))
                .when(device)
                .buffer(anyLong());
        UserDevice.Buffer first = device.buffer(16);
        device.free(first);
        device.buffer(16);

        device.free(first);

        assertThat(tracker.liveBuffers()).isOne();
        assertThat(Events.of(tracker))
                .last()
                .isEqualTo("#5 free of DRAM 0x9000 (36864) on device 0 ignored, because it was freed before");
    }
}
