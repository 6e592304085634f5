package dev.meshguard.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BufferTypeTests {

    @Test
    void countsCircularBuffersAndSmallShardsAsL1() {
        assertThat(BufferType.L1.memory()).isEqualTo(BufferType.L1_SMALL.memory());
    }
}
