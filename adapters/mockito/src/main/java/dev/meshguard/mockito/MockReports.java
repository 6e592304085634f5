package dev.meshguard.mockito;

import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.AllocationTracker;
import java.util.function.Function;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.mockito.invocation.InvocationOnMock;

/**
 * Answers that make mocks of a user's device interface report to a tracker.
 *
 * <pre>{@code
 * when(device.allocate(anyInt(), anyLong())).thenAnswer(allocating(tracker, DRAM).onDeviceArgument(0));
 * doAnswer(freeing(tracker).onDeviceArgument(0)).when(device).free(anyInt(), anyLong());
 * }</pre>
 *
 * <p>Unambiguous arguments need no configuration: the only number among the arguments is the size, and the only argument of a
 * free is the freed object. An ambiguous method causes an exception when the mock is stubbed; the message names the option that
 * resolves it.
 *
 * <p>All answers that report to one tracker share their allocations: any of them can free what another one allocated, even if
 * they belong to different mocks. Synthetic addresses are unique among them. Nothing is reported for a mock that throws or that
 * returns {@code null} instead of memory. A report never throws into the code under test. If a call cannot be read, the tracker
 * records a lost report, which makes the verdict inconclusive and gives the reason.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MockReports {

    private MockReports() {}

    /** Returns an answer that reports an allocation of the given type, by default on device 0. */
    public static Allocating allocating(AllocationTracker tracker, BufferType type) {
        return allocating(tracker, call -> type);
    }

    /** Returns an answer that reports an allocation of the type that is computed from a call. */
    public static Allocating allocating(AllocationTracker tracker, Function<InvocationOnMock, BufferType> type) {
        return new Allocating(MockAllocations.of(tracker), type);
    }

    /** Returns an answer that reports that memory was freed. */
    public static Freeing freeing(AllocationTracker tracker) {
        return new Freeing(MockAllocations.of(tracker));
    }
}
