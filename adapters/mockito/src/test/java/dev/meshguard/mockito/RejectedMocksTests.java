package dev.meshguard.mockito;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.mockito.MockReports.allocating;
import static dev.meshguard.mockito.MockReports.freeing;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.framework;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.meshguard.tracker.AllocationTracker;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.stubbing.OngoingStubbing;

/** Tests that an ambiguous method is rejected when the mock is stubbed, and not when the code under test calls it. */
@SuppressWarnings("MockNotUsedInProduction") // Stubbing is what is tested.
class RejectedMocksTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final UserDevice device = mock(UserDevice.class);

    /** A stubbing that was rejected is one that Mockito calls unfinished. */
    @AfterEach
    void forgetTheUnfinishedStubbing() {
        framework().clearInlineMocks();
    }

    @Test
    void aSizeThatTwoArgumentsCouldBe() {
        OngoingStubbing<Long> stubbing = when(device.allocate(anyInt(), anyLong()));

        assertRejected(
                () -> stubbing.thenAnswer(allocating(tracker, DRAM)),
                "Cannot report calls of UserDevice.allocate(int,"
                        + " long): 2 of its arguments are numbers. Say which is the size with sizeArgument(index).");
    }

    @Test
    void aSizeThatNoArgumentCouldBe() {
        OngoingStubbing<Long> stubbing = when(device.ofTensor(anyString()));

        assertRejected(
                () -> stubbing.thenAnswer(allocating(tracker, DRAM)),
                "Cannot report calls of"
                        + " UserDevice.ofTensor(String): none of its arguments is a number that could be the size. Say it with"
                        + " size(bytes) or size(call -> …).");
    }

    @Test
    void anArgumentThatThereIsNot() {
        OngoingStubbing<Long> stubbing = when(device.allocate(anyInt(), anyLong()));

        assertRejected(
                () -> stubbing.thenAnswer(allocating(tracker, DRAM).sizeArgument(2)),
                "Cannot report calls of"
                        + " UserDevice.allocate(int, long): argument 2 is said to be the size, and it has only 2. Count from 0.");
    }

    @Test
    void anArgumentOfAnotherType() {
        OngoingStubbing<Long> stubbing = when(device.ofTensor(anyString()));

        assertRejected(
                () -> stubbing.thenAnswer(allocating(tracker, DRAM).sizeArgument(0)),
                "Cannot report calls of"
                        + " UserDevice.ofTensor(String): argument 0 is said to be the size, and a String is not a number. Name another"
                        + " one, or compute it with size(call -> …).");
    }

    @Test
    void aHandleThatNobodyMakes() {
        OngoingStubbing<UserDevice.Buffer> stubbing = when(device.buffer(anyLong()));

        assertRejected(
                () -> stubbing.thenAnswer(allocating(tracker, DRAM)),
                "Cannot report calls of UserDevice.buffer(long):"
                        + " it returns a Buffer. Say which with returning(call -> …).");
    }

    @Test
    void aCloseableThatNobodyMakes() {
        OngoingStubbing<UserDevice.Closeable> stubbing = when(device.closeable(anyLong()));

        assertRejected(
                () -> stubbing.thenAnswer(allocating(tracker, DRAM)),
                "Cannot report calls of"
                        + " UserDevice.closeable(long): it returns a Closeable. Say which with returning(call -> …) or"
                        + " returningCloseables().");
    }

    @Test
    void aCloseableThatIsNone() {
        OngoingStubbing<UserDevice.Buffer> stubbing = when(device.buffer(anyLong()));

        assertRejected(
                () -> stubbing.thenAnswer(allocating(tracker, DRAM).returningCloseables()),
                "Cannot report calls of UserDevice.buffer(long): it returns a Buffer, which has no close() to be freed by. Say"
                        + " what it returns with returning(call -> …).");
    }

    @Test
    void aFreeOfOneOfTwoArguments() {
        assertRejected(
                () -> doAnswer(freeing(tracker)).when(device).free(anyInt(), anyLong()),
                "Cannot report calls of UserDevice.free(int, long): 2 of its arguments could be what it frees. Say which with"
                        + " addressArgument(index) or handleArgument(index).");
    }

    @Test
    void aDeviceBelowTheFirstArgument() {
        assertRejected(
                () -> allocating(tracker, DRAM).onDeviceArgument(-1),
                "Arguments are counted from 0: argument -1 was said to be the device.");
    }

    private static void assertRejected(ThrowingCallable stubbing, String text) {
        assertThatThrownBy(stubbing)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(text);
    }
}
