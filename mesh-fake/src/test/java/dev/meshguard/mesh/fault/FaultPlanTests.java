package dev.meshguard.mesh.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the contents of a plan, and its text when written and parsed. */
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
            .closingDuringOperation(7, "add")
            .losingReport(4)
            .losingReport(4, ReportKind.FREE)
            .onDevice(0)
            .noticed()
            .doublingReport(1)
            .doublingReport(9, ReportKind.ALLOCATION)
            .delayingReport(2, 8)
            .delayingReport(2, ReportKind.FREE, 8)
            .onDevice(7)
            .reorderingReports(3, 1, 2)
            .shufflingReports(4, -1)
            .onDevice(2);

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
                        + ".closingDuringOperation(7, \"add\")"
                        + ".losingReport(4)"
                        + ".losingReport(4, FREE).onDevice(0).noticed()"
                        + ".doublingReport(1)"
                        + ".doublingReport(9, ALLOCATION)"
                        + ".delayingReport(2, 8)"
                        + ".delayingReport(2, FREE, 8).onDevice(7)"
                        + ".reorderingReports(3, 1, 2)"
                        + ".shufflingReports(4, -1L).onDevice(2)");
    }

    @Test
    void isReadAsItIsWritten() {
        assertThat(FaultPlan.parse(EVERYTHING.toString())).isEqualTo(EVERYTHING);
    }

    @Test
    void isNothingByDefault() {
        assertThat(FaultPlan.none().isEmpty()).isTrue();
        assertThat(FaultPlan.none()).hasToString("FaultPlan.none()").isEqualTo(FaultPlan.parse(""));
    }

    @Test
    void isReadAsCodeWritesIt() {
        FaultPlan plan = FaultPlan.parse(
                "failingAllocation(3, BufferType.L1)\n    .losingReport( 2 , ReportKind.FREE )\n    .onDevice(5)");

        assertThat(plan)
                .isEqualTo(FaultPlan.none()
                        .failingAllocation(3, BufferType.L1)
                        .losingReport(2, ReportKind.FREE)
                        .onDevice(5));
    }

    @Test
    void doesNotChangeWhenMoreIsSaid() {
        FaultPlan plan = FaultPlan.none().failingAllocation(3);

        plan.onDevice(5).closingTwice();

        assertThat(plan).hasToString("FaultPlan.none().failingAllocation(3)");
    }

    @Test
    void comesFromASeedAlikeForEver() {
        assertThat(FaultPlan.random(42))
                .hasToString("FaultPlan.random(42L) = FaultPlan.none()"
                        + ".closingTwice().delayingReport(5, FREE, 39).shufflingReports(5, 182L)");
    }

    @Test
    void describesItsSeedOnlyWhileItIsThePlanOfTheSeed() {
        FaultPlan plan = FaultPlan.random(42).closingTwice();

        assertThat(plan.toString()).startsWith("FaultPlan.none().").endsWith(".closingTwice()");
    }

    @Test
    void isReadFromItsSeedAlone() {
        assertThat(FaultPlan.parse("random(42)"))
                .isEqualTo(FaultPlan.random(42))
                .isEqualTo(FaultPlan.parse("FaultPlan.random(42L)"))
                .hasToString(FaultPlan.random(42).toString());
    }

    @Test
    void isReadFromASeedAndMore() {
        assertThat(FaultPlan.parse("FaultPlan.random(42).closingTwice()"))
                .isEqualTo(FaultPlan.random(42).closingTwice());
    }

    @Test
    void isReadWithAnOperationThatLooksLikeSomethingElse() {
        FaultPlan plan = FaultPlan.none().failingOperation(1, "a = b.c(1).none()");

        assertThat(FaultPlan.parse(plan.toString())).isEqualTo(plan);
    }

    @Test
    void isReadAsItIsWrittenWhateverItsSeed() {
        long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());

        for (long next = seed; next < seed + 1_000; next++) {
            FaultPlan plan = FaultPlan.random(next);

            FaultPlan read = FaultPlan.parse(plan.toString());

            assertThat(read).as("-Dmeshguard.seed=%d", next).isEqualTo(plan).hasToString(plan.toString());
            assertThat(plan.faults()).as("-Dmeshguard.seed=%d", next).hasSizeBetween(1, 4);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    failAllocation(3)                    | 1  | expected one of
                    failingAllocation(L1)                | 1  | expected one of
                    failingAllocation(3, FREE)           | 1  | expected one of
                    failingAllocation(3, "L1")           | 1  | expected one of
                    failingOperation(3, add)             | 1  | expected one of
                    closingTwice().noticed               | 16 | expected a call such as failingAllocation(3)
                    closingTwice().                      | 15 | expected a dot and another call, or the end
                    closingTwice() closingTwice()        | 16 | expected a dot and another call, or the end
                    closingTwice();                      | 15 | expected a dot and another call, or the end
                    failingAllocation(3,)                | 21 | expected a number, a name or a string
                    failingAllocation(three, 4)          | 1  | expected one of
                    failingAllocation(99999999999999999999) | 19 | expected a number of at most 64 bits
                    deviceStopsAnswering(99999999999, 1) | 1  | 99999999999 is too large: it must fit into 32 bits
                    closingTwice().failingAllocation(0)  | 16 | Cannot use 0 as the number of an allocation: it must be 1 or more
                    closingTwice().onDevice(3)           | 16 | Cannot say onDevice(3) of closingTwice()
                    """)
    void saysWhereItCannotBeRead(String text, int character, String problem) {
        assertThatThrownBy(() -> FaultPlan.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "Cannot read the fault plan \"" + text + "\" from character " + character + " on: " + problem);
    }

    @Test
    void namesEveryCallThereIs() {
        assertThatThrownBy(() -> FaultPlan.parse("leak()"))
                .hasMessage(
                        "Cannot read the fault plan \"leak()\" from character 1 on: expected one of failingAllocation(3),"
                                + " failingAllocation(3, L1), failingOperation(2, \"matmul\"), deviceStopsAnswering(5, 4),"
                                + " closingDevicesInOrder(1, 0), closingTwice(), closingDuringOperation(2, \"add\"),"
                                + " losingReport(3, FREE), doublingReport(3, ALLOCATION), delayingReport(3, FREE, 8),"
                                + " reorderingReports(3, 1, 2), shufflingReports(4, 42), onDevice(5), noticed()");
    }

    @Test
    void narrowsOnlyWhatCanBeNarrowed() {
        assertThatThrownBy(() -> FaultPlan.none().onDevice(3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Cannot say onDevice(3) of no fault: say it right after a fault that it can narrow,"
                        + " such as failingAllocation(3)");
        assertThatThrownBy(() -> FaultPlan.none().failingAllocation(2).noticed())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Cannot say noticed() of failingAllocation(2): say it right after a fault that it can narrow,"
                                + " such as losingReport(3)");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void countsFromOne(long number) {
        assertThatThrownBy(() -> FaultPlan.none().losingReport(number))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot use " + number + " as the number of a report: it must be 1 or more");
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
        assertThatThrownBy(() -> plan.reorderingReports(1, 3))
                .hasMessage("Cannot hand on reports in the order [1, 3]: give the numbers from 1 to as many reports as"
                        + " change places, at least 2, each once");
        assertThatThrownBy(() -> plan.shufflingReports(1, 42))
                .hasMessage("Cannot shuffle 1 of the reports: at least 2 can change places");
        assertThatThrownBy(() -> plan.delayingReport(1, 0))
                .hasMessage("Cannot use 0 as a delay in reports: it must be 1 or more");
    }
}
