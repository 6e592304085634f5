package dev.meshguard.verdict.expectation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceSetTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"3; 3", "0-3,5; 0-3,5", "5,0,1,1; 0-1,5", "0-2,2-4; 0-4", "7-7; 7"})
    void readsIdsAndRangesAndPrintsTheShortestText(String text, String printed) {
        assertThat(DeviceSet.parse(text)).hasToString(printed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "all", "-1", "3-", "3-1", "1,,2", "0-2000000000", "0-65536", "1 2", "٣"})
    void rejectsAnInvalidSetOfDevices(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceSet.parse(text))
                .withMessage("Devices are ids and ranges of ids up to 65535, for example 0-3,5: \"" + text
                        + "\" was given.");
    }

    @Test
    void holdsAllDevicesUnlessAnyIsNamed() {
        assertThat(DeviceSet.any().contains(7)).isTrue();
        assertThat(DeviceSet.of(3, 5).contains(4)).isFalse();
        assertThat(DeviceSet.of(3, 5).contains(5)).isTrue();
    }

    @Test
    void goesUpToTheHighestIdAndNoFurther() {
        assertThat(DeviceSet.parse("65534-65535")).hasToString("65534-65535");
        assertThat(DeviceSet.of(65_535)).hasToString("65535");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceSet.of(65_536))
                .withMessage("An expected buffer's device is at most 65535: 65536 was given.");
    }

    @Test
    void isMadeOfACollectionAndPrintedAsAllIfThatIsEmpty() {
        assertThat(DeviceSet.of(List.of(5, 3, 4))).hasToString("3-5");
        assertThat(DeviceSet.of(List.of())).hasToString("all");
    }
}
