package dev.meshguard.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.BufferType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchTests {

    @Test
    void readsEveryCondition() {
        assertThat(Watch.parse("device=0,type=L1,size=4096,address=0x18b20"))
                .containsExactly(Watch.everything()
                        .device(0)
                        .type(BufferType.L1)
                        .size(4_096)
                        .address(101_152));
    }

    @Test
    void readsSeveralWatchesWithSpacesAndInAnyCase() {
        assertThat(Watch.parse(" type = dram ; device=3, address=101152 ;"))
                .containsExactly(
                        Watch.everything().type(BufferType.DRAM),
                        Watch.everything().device(3).address(101_152));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ";", " ; "})
    void readsNothingFromABlankText(String text) {
        assertThat(Watch.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "device=zero",
                "device",
                "device=",
                "device=99999999999",
                "type=L2",
                "size=4k",
                "address=0xzz",
                "colour=red",
                "=1",
            })
    void rejectsAWrongConditionAndSaysHowToFixIt(String condition) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Watch.parse("device=0," + condition))
                .withMessage(
                        "Cannot read \"" + condition + "\" as a watch. Write conditions as device=0, type=L1 (DRAM,"
                                + " L1, SYSTEM_MEMORY, L1_SMALL or TRACE), size=4096 or address=0x18b20, separated by commas;"
                                + " separate watches by semicolons.");
    }

    @Test
    void fitsWhatEveryConditionFits() {
        Watch watch = Watch.everything().device(1).type(BufferType.L1).size(64).address(0x10);

        assertThat(watch.fits(1, BufferType.L1, 0x10, 64)).isTrue();
        assertThat(watch.fits(0, BufferType.L1, 0x10, 64)).isFalse();
        assertThat(watch.fits(1, BufferType.DRAM, 0x10, 64)).isFalse();
        assertThat(watch.fits(1, BufferType.L1, 0x11, 64)).isFalse();
        assertThat(watch.fits(1, BufferType.L1, 0x10, 65)).isFalse();
    }

    @Test
    void fitsAFreeOfNothingByEverythingButTheSize() {
        Watch watch = Watch.everything().device(1).size(64);

        assertThat(watch.fits(1, BufferType.L1, 0x10, -1)).isTrue();
        assertThat(watch.fits(2, BufferType.L1, 0x10, -1)).isFalse();
    }

    @Test
    void readsALeadingZeroAsDecimal() {
        assertThat(Watch.parse("address=010"))
                .containsExactly(Watch.everything().address(10));
    }
}
