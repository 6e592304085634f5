package dev.meshguard.mockito;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.mockito.MockReports.allocating;
import static dev.meshguard.mockito.MockReports.freeing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.mockito.MockitoSession;
import org.mockito.exceptions.misusing.UnnecessaryStubbingException;
import org.mockito.quality.Strictness;

/** Tests that reporting answers are stubbings like any other. */
@SuppressWarnings("DirectInvocationOnMock") // The tests are the code that uses the mocks.
class StrictStubsTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final MockitoSession session =
            Mockito.mockitoSession().strictness(Strictness.STRICT_STUBS).startMocking();

    @Test
    void oneThatIsUsedIsNotInTheWay() {
        UserDevice device = mock(UserDevice.class);
        when(device.closeable(anyLong())).thenAnswer(allocating(tracker, DRAM).returningCloseables());

        device.closeable(16).close();
        session.finishMocking();

        assertThat(tracker.liveBuffers()).isZero();
    }

    @Test
    void reportsAnUnusedStubbing() {
        UserDevice device = mock(UserDevice.class);
        when(device.allocate(anyLong())).thenAnswer(allocating(tracker, DRAM));
        doAnswer(freeing(tracker)).when(device).free(anyLong());

        device.allocate(16);

        assertThatThrownBy(session::finishMocking)
                .isInstanceOf(UnnecessaryStubbingException.class)
                .hasMessageContaining("StrictStubsTests.reportsAnUnusedStubbing");
    }
}
