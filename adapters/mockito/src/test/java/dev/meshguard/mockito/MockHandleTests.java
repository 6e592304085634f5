package dev.meshguard.mockito;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.mockito.MockReports.allocating;
import static dev.meshguard.mockito.MockReports.freeing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.meshguard.handle.HandleSearch;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Survivor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

/** Tests that a buffer is lost when the code under test drops the handle that a mock returned. */
@SuppressWarnings("DirectInvocationOnMock") // The tests are the code that uses the mocks.
class MockHandleTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final UserDevice device = mock(UserDevice.class);
    private final List<Object> cache = new ArrayList<>();

    @BeforeEach
    void reportCalls() {
        when(device.buffer(anyLong()))
                .thenAnswer(allocating(tracker, DRAM).returning(call -> new UserDevice.Buffer(0)));
        when(device.closeable(anyLong())).thenAnswer(allocating(tracker, DRAM).returningCloseables());
        Mockito.doAnswer(freeing(tracker)).when(device).free(Mockito.<UserDevice.Buffer>any());
    }

    @Test
    void aHandleInAFieldIsHeld() {
        cache.add(device.buffer(16));

        assertThat(causes()).containsExactly(Cause.HELD);
    }

    @Test
    void aHandleThatWasDroppedIsLost() {
        device.buffer(16);

        assertThat(causes()).containsExactly(Cause.LOST);
    }

    @Test
    void aMockThatFreesItselfIsHeld() {
        cache.add(device.closeable(16));

        assertThat(causes()).containsExactly(Cause.HELD);
    }

    @Test
    void aMockThatFreesItselfAndWasDroppedIsLost() {
        device.closeable(16);

        assertThat(causes()).containsExactly(Cause.LOST);
    }

    private List<Cause> causes() {
        HandleSearch.from(this).trace(tracker, tracker.history());
        return LeakCheck.create().examine(tracker.history()).survivors().stream()
                .map(Survivor::cause)
                .toList();
    }
}
