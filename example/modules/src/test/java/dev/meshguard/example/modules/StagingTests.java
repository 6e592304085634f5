package dev.meshguard.example.modules;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.tracker.AllocationTracker;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

/** Objects of a class that no other module sees, and of one in {@code java.base}. */
@TrackCloseables({Staging.class, Deflater.class})
class StagingTests {

    private Staging staging;
    private Deflater deflater;

    @Test
    void closesAll() {
        new Staging().close();
        new Deflater().end();
    }

    @Test
    @TrackAllocations(check = AllocationCheck.NONE)
    void seesWhatIsOpenInAModule(AllocationTracker tracker) {
        staging = new Staging();
        deflater = new Deflater();

        assertThatThrownBy(() -> assertThat(tracker).noLeaks())
                .isInstanceOf(LeakAssertionError.class)
                .hasMessageStartingWith("LEAK  ")
                .hasMessageContaining("1 Staging")
                .hasMessageContaining("1 Deflater")
                .hasMessageContaining("StagingTests.seesWhatIsOpenInAModule(StagingTests.java:");
    }
}
