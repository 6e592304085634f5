package dev.meshguard.mesh.fault;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertIllegalState;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the contents of a plan, and its text. */
class FaultPlanTests {

    private static final FaultPlan EVERYTHING = FaultPlan.none()
            .failingAllocation(1)
            .failingAllocation(3, BufferType.L1)
            .onDevice(5)
            .failingOperation(2)
            .failingOperation(2, "mat\"mul (a, b)\\\n")
            .deviceStopsAnswering(5, 4)
            .closingDevicesInOrder(3, 1, 0)
            .closingTwice()
            .closingDuringOperation(1)
            .closingDuringOperation(7, "add");

    @Test
    void readsAsASentence() {
        assertThat(EVERYTHING)
                .hasToString("FaultPlan.none()"
                        + ".failingAllocation(1)"
                        + ".failingAllocation(3, L1).onDevice(5)"
                        + ".failingOperation(2)"
                        + ".failingOperation(2, \"mat\\\"mul (a, b)\\\\\\n\")"
                        + ".deviceStopsAnswering(5, 4)"
                        + ".closingDevicesInOrder(3, 1, 0)"
                        + ".closingTwice()"
                        + ".closingDuringOperation(1)"
                        + ".closingDuringOperation(7, \"add\")");
    }

    @Test
    void isNothingByDefault() {
        assertThat(FaultPlan.none().isEmpty()).isTrue();
        assertThat(FaultPlan.none()).hasToString("FaultPlan.none()");
    }

    @Test
    void doesNotChangeWhenMoreIsSaid() {
        FaultPlan plan = FaultPlan.none().failingAllocation(3);

        plan.onDevice(5).closingTwice();

        assertThat(plan).hasToString("FaultPlan.none().failingAllocation(3)");
    }

    @Test
    void narrowsOnlyWhatCanBeNarrowed() {
        assertIllegalState(
                () -> FaultPlan.none().onDevice(3),
                "Cannot say onDevice(3) of no fault: say it right after a fault that it can narrow,"
                        + " such as failingAllocation(3)");
        assertThatThrownBy(() -> FaultPlan.none().closingTwice().onDevice(3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("Cannot say onDevice(3) of closingTwice()");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void countsFromOne(long number) {
        assertIllegalArgument(
                () -> FaultPlan.none().failingAllocation(number),
                "Cannot use " + number + " as the number of an allocation: it must be 1 or more");
    }

    @Test
    void rejectsNumbersThatMeanNothing() {
        FaultPlan plan = FaultPlan.none();

        assertThatThrownBy(() -> plan.failingAllocation(1).onDevice(-1))
                .hasMessage("Cannot use -1 as the id of a device: it must be 0 or more");
        assertThatThrownBy(() -> plan.failingAllocation(1, BufferType.SYSTEM_MEMORY))
                .hasMessage(
                        "Cannot fail an allocation of SYSTEM_MEMORY: no allocator reserves it. Name another memory, or none.");
        assertThatThrownBy(() -> plan.closingDevicesInOrder(1, 1))
                .hasMessage("Cannot close devices in the order [1, 1]: name at least one device, and each once");
    }
}
