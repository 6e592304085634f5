package dev.meshguard.mockito;

import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.AllocationTracker;
import java.util.function.Function;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.mockito.invocation.InvocationOnMock;

/**
 * Answers by which mocks of a device interface of the user's own report to a tracker.
 *
 * <pre>{@code
 * when(device.allocate(anyInt(), anyLong())).thenAnswer(allocating(tracker, DRAM).onDeviceArgument(0));
 * doAnswer(freeing(tracker).onDeviceArgument(0)).when(device).free(anyInt(), anyLong());
 * }</pre>
 *
 * <p>What an interface says plainly need not be said again: the only number among the arguments is the size, the only argument
 * of a free is what is freed. What is not plain is rejected when the mock is stubbed, with the option that says it. Mocks that
 * somebody else configured are listened to with a {@link MockListener}.
 *
 * <p>All answers that report to one tracker know of each other's memory: what one allocated any other takes back, whichever
 * mocks they belong to, and no two of them make up the same address. Nothing is reported for a mock that throws or that returns
 * {@code null} instead of memory. A report never throws into the code under test: where a call cannot be read, the tracker is
 * reported of a report that was lost, which makes the verdict inconclusive and gives the reason.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 * @see MockListener
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MockReports {

    private MockReports() {}

    /** Returns an answer that reports an allocation of the given type on device 0, unless more is said. */
    public static Allocating allocating(AllocationTracker tracker, BufferType type) {
        return allocating(tracker, call -> type);
    }

    /** Returns an answer that reports an allocation of the type that a call asks for. */
    public static Allocating allocating(AllocationTracker tracker, Function<InvocationOnMock, BufferType> type) {
        return new Allocating(MockAllocations.of(tracker), type);
    }

    /** Returns an answer that reports that memory was freed. */
    public static Freeing freeing(AllocationTracker tracker) {
        return new Freeing(MockAllocations.of(tracker));
    }
}
