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
import static org.mockito.Mockito.when;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the reports of mocked allocations. */
@SuppressWarnings("DirectInvocationOnMock") // The tests are the code that uses the mocks.
class AllocatingTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final UserDevice device = mock(UserDevice.class);

    @Test
    void takesTheOnlyNumberForTheSizeAndReturnsAnAddressThatNoOtherCallIsGiven() {
        when(device.allocate(anyLong())).thenAnswer(allocating(tracker, DRAM));

        long first = device.allocate(100);
        long second = device.allocate(8);

        assertThat(first).isEqualTo(0x1000);
        assertThat(second).isEqualTo(0x1080);
        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 allocated DRAM 0x1000 (4096) on device 0, 100 B",
                        "#3 allocated DRAM 0x1080 (4224) on device 0, 8 B");
    }

    @Test
    void givesAnswersOfTheSameTrackerAddressesOfTheirOwn() {
        when(device.allocate(anyLong())).thenAnswer(allocating(tracker, DRAM));
        when(device.handleOf(anyLong())).thenAnswer(allocating(tracker, DRAM));

        assertThat(device.allocate(8)).isEqualTo(0x1000);
        assertThat(device.handleOf(8)).isEqualTo(0x1040);
    }

    @Test
    void saysThatAnAddressIsLargerThanTheIntThatTheMockReturns() {
        when(device.handleOf(anyLong())).thenAnswer(allocating(tracker, DRAM));
        device.handleOf(1L << 31);

        assertThatThrownBy(() -> device.handleOf(8))
                .hasMessage(
                        "Cannot report calls of UserDevice.handleOf(long): the address 0x80001000 (2147487744) is larger than"
                                + " an int. Say smaller ones with address(call -> …), or allocate less.");
    }

    @Test
    void takesTheOtherNumberForTheSizeWhereOneIsTheDevice() {
        when(device.allocate(anyInt(), anyLong()))
                .thenAnswer(allocating(tracker, DRAM).onDeviceArgument(0));

        device.allocate(3, 4096);

        assertThat(Events.of(tracker)).containsExactly("#2 allocated DRAM 0x1000 (4096) on device 3, 4 KiB (4096 B)");
    }

    @Test
    void reportsOneRequestForAllDevicesOfACall() {
        when(device.allocateOnAll(anyList(), anyLong()))
                .thenAnswer(allocating(tracker, DRAM).onDeviceArgument(0));

        device.allocateOnAll(List.of(0, 1), 64);

        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 allocated DRAM 0x1000 (4096) on device 0, 64 B",
                        "#3 allocated DRAM 0x1000 (4096) on device 1, 64 B");
        assertThat(tracker.history().generations())
                .extracting(buffer -> buffer.reports().get(0).request())
                .containsOnly(
                        tracker.history().generations().get(0).reports().get(0).request());
    }

    @Test
    void readsTheTypeOffTheCall() {
        when(device.allocate(anyInt(), anyLong()))
                .thenAnswer(allocating(tracker, call -> call.<Integer>getArgument(0) == 1 ? L1 : DRAM)
                        .sizeArgument(1));

        device.allocate(1, 32);

        assertThat(Events.of(tracker)).containsExactly("#2 allocated L1 0x1000 (4096) on device 0, 32 B");
    }

    @Test
    void computesASizeThatNoArgumentIs() {
        when(device.ofTensor(anyString()))
                .thenAnswer(allocating(tracker, DRAM)
                        .size(call -> call.<String>getArgument(0).length() * 1024L));

        device.ofTensor("32x32");

        assertThat(Events.of(tracker)).containsExactly("#2 allocated DRAM 0x1000 (4096) on device 0, 5 KiB (5120 B)");
    }

    @Test
    void reportsTheAddressThatTheMockReturns() {
        when(device.allocate(anyLong())).thenAnswer(allocating(tracker, DRAM).returning(call -> 0x8000L));

        assertThat(device.allocate(16)).isEqualTo(0x8000);
        assertThat(Events.of(tracker)).containsExactly("#2 allocated DRAM 0x8000 (32768) on device 0, 16 B");
    }

    @Test
    void reportsTheAddressThatTheCodeUnderTestChose() {
        doAnswer(allocating(tracker, DRAM).addressArgument(0)).when(device).reserve(anyLong(), anyLong());

        device.reserve(0x4000, 16);

        assertThat(Events.of(tracker)).containsExactly("#2 allocated DRAM 0x4000 (16384) on device 0, 16 B");
    }

    @Test
    void readsTheAddressOffTheHandle() {
        when(device.buffer(anyLong()))
                .thenAnswer(allocating(tracker, DRAM)
                        .addressOf(UserDevice.Buffer.class, buffer -> buffer.address)
                        .returning(call -> new UserDevice.Buffer(0x2000)));

        device.buffer(16);

        assertThat(Events.of(tracker)).containsExactly("#2 allocated DRAM 0x2000 (8192) on device 0, 16 B");
    }

    @Test
    void takesTheHandleOutOfAFuture() throws Exception {
        when(device.later(anyLong()))
                .thenAnswer(allocating(tracker, DRAM)
                        .handleOf(CompletableFuture.class, future -> future.join())
                        .returning(call -> CompletableFuture.completedFuture(new UserDevice.Buffer(0))));
        doAnswer(freeing(tracker)).when(device).free(any(UserDevice.Buffer.class));

        device.free(device.later(16).get());

        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 allocated DRAM 0x1000 (4096) on device 0, 16 B", "#3 freed DRAM 0x1000 (4096) on device 0");
    }

    @Test
    void takesTheHandleThatTheCodeUnderTestHandsIn() {
        doAnswer(allocating(tracker, DRAM).handleArgument(0)).when(device).fill(any(), anyLong());
        doAnswer(freeing(tracker)).when(device).free(any(UserDevice.Buffer.class));
        UserDevice.Buffer buffer = new UserDevice.Buffer(0);

        device.fill(buffer, 16);
        device.free(buffer);

        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 allocated DRAM 0x1000 (4096) on device 0, 16 B", "#3 freed DRAM 0x1000 (4096) on device 0");
    }

    @Test
    void labelsWhatIsDescribed() {
        when(device.allocate(anyLong()))
                .thenAnswer(allocating(tracker, DRAM)
                        .describedBy(AllocationDetails.user().labelled("weights")));

        device.allocate(16);

        assertThat(tracker.history().generations().get(0).label()).contains("weights");
    }

    @Test
    void reportsNothingWhereTheMockThrows() {
        when(device.allocate(anyLong())).thenAnswer(allocating(tracker, DRAM).returning(call -> {
            throw new IllegalStateException("out of memory");
        }));

        assertThatThrownBy(() -> device.allocate(16)).hasMessage("out of memory");
        assertThat(Events.of(tracker)).isEmpty();
    }

    @Test
    void reportsNothingWhereTheMockReturnsNull() {
        when(device.buffer(anyLong())).thenAnswer(allocating(tracker, DRAM).returning(call -> null));

        assertThat(device.buffer(16)).isNull();
        assertThat(Events.of(tracker)).isEmpty();
    }

    @Test
    void reportsACallThatCannotBeReadToTheTracker() {
        when(device.anything(any())).thenAnswer(allocating(tracker, DRAM).sizeArgument(0));

        device.anything("much");

        assertThat(Events.of(tracker))
                .containsExactly(
                        "#2 1 report lost: a call of UserDevice.anything(Object) on a mock could not be reported: argument 0, the size, was not a number");
    }

    @Test
    void reportsAFunctionThatFailsToTheTracker() {
        when(device.allocate(anyLong()))
                .thenAnswer(allocating(tracker, DRAM)
                        .size(call -> call.<String>getArgument(0).length()));

        device.allocate(8);

        assertThat(Events.of(tracker))
                .singleElement()
                .asString()
                .startsWith("#2 1 report lost: a call of UserDevice.allocate(long) on a mock could not be reported:"
                        + " java.lang.ClassCastException: ");
    }

    @Test
    void namesTheLineThatCalledTheMock() {
        when(device.allocate(anyLong())).thenAnswer(allocating(tracker, DRAM));

        device.allocate(8);

        assertThat(tracker.history()
                        .generations()
                        .get(0)
                        .origin()
                        .orElseThrow()
                        .frames()
                        .get(0)
                        .getMethodName())
                .isEqualTo("namesTheLineThatCalledTheMock");
    }

    @Test
    void namesTheLineThatCalledTheMockOfAClass() {
        Heap heap = mock(Heap.class);
        when(heap.take(anyLong())).thenAnswer(allocating(tracker, DRAM));

        heap.take(8);

        assertThat(tracker.history()
                        .generations()
                        .get(0)
                        .origin()
                        .orElseThrow()
                        .frames()
                        .get(0)
                        .getMethodName())
                .isEqualTo("namesTheLineThatCalledTheMockOfAClass");
    }

    @Test
    void isASourceEvenIfNothingIsAllocated() {
        when(device.allocate(anyLong())).thenAnswer(allocating(tracker, DRAM));

        dev.meshguard.assertions.LeakAssertions.assertThat(tracker).noLeaks().hasBalancedReports();
    }

    static class Heap {
        long take(long bytes) {
            return bytes;
        }
    }
}
