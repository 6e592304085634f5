package dev.meshguard.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.tracker.BufferType;
import org.junit.jupiter.api.Test;

class ConsumerTests {

    @Test
    void seesTheTrackerThroughOneDependency() {
        assertThat(BufferType.L1_SMALL.memory()).isEqualTo(BufferType.Memory.L1);
    }
}
