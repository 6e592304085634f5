package dev.meshguard.samples.corpus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.FaultPlan;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the contents of a plan, and its text when written and parsed. */
class RunFaultsTests {

    private static final String EVERYTHING = "FaultPlan.none()"
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
            + ".shufflingReports(4, -1L).onDevice(2)";

    @Test
    void isReadAsItIsWritten() {
        RunFaults plan = RunFaults.parse(EVERYTHING);

        assertThat(plan).hasToString(EVERYTHING);
        assertThat(plan.faults()).hasSize(17);
        assertThat(RunFaults.parse(plan.toString())).isEqualTo(plan);
    }

    @Test
    void consistsOfFaultsOfTheRuntimeAndOfReports() {
        RunFaults plan = RunFaults.parse("closingTwice().losingReport(1).failingOperation(2).doublingReport(3)");

        assertThat(plan.ofRuntime()).isEqualTo(FaultPlan.none().closingTwice().failingOperation(2));
        assertThat(plan.ofReports())
                .extracting(ReportFault::toString)
                .containsExactly("losingReport(1)", "doublingReport(3)");
        assertThat(plan.withoutFaultsOfReports()).isEqualTo(RunFaults.parse("closingTwice().failingOperation(2)"));
    }

    @Test
    void isNothingByDefault() {
        assertThat(RunFaults.none().isEmpty()).isTrue();
        assertThat(RunFaults.none()).hasToString("FaultPlan.none()").isEqualTo(RunFaults.parse(""));
    }

    @Test
    void isReadAsCodeWritesIt() {
        RunFaults plan = RunFaults.parse(
                "failingAllocation(3, BufferType.L1)\n    .losingReport( 2 , ReportKind.FREE )\n    .onDevice(5)");

        assertThat(plan).hasToString("FaultPlan.none().failingAllocation(3, L1).losingReport(2, FREE).onDevice(5)");
    }

    @Test
    void comesFromASeedAlikeForEver() {
        assertThat(RunFaults.random(42))
                .hasToString("FaultPlan.random(42L) = FaultPlan.none()"
                        + ".closingTwice().delayingReport(5, FREE, 39).shufflingReports(5, 182L)");
    }

    @Test
    void describesItsSeedOnlyWhileItIsThePlanOfTheSeed() {
        RunFaults plan = RunFaults.random(42).with(new Fault.MeshClosesTwice());

        assertThat(plan.toString()).startsWith("FaultPlan.none().").endsWith(".closingTwice()");
    }

    @Test
    void isReadFromItsSeedAlone() {
        assertThat(RunFaults.parse("random(42)"))
                .isEqualTo(RunFaults.random(42))
                .isEqualTo(RunFaults.parse("FaultPlan.random(42L)"))
                .hasToString(RunFaults.random(42).toString());
    }

    @Test
    void isReadFromASeedAndMore() {
        assertThat(RunFaults.parse("FaultPlan.random(42).closingTwice()"))
                .isEqualTo(RunFaults.random(42).with(new Fault.MeshClosesTwice()));
    }

    @Test
    void isReadWithAnOperationThatLooksLikeSomethingElse() {
        RunFaults plan = RunFaults.none()
                .with(new Fault.OperationFails(1, Optional.of("a = b.c(1).none()"), OptionalInt.empty()));

        assertThat(RunFaults.parse(plan.toString())).isEqualTo(plan);
    }

    @Test
    void isReadAsItIsWrittenWhateverItsSeed() {
        long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());

        for (long next = seed; next < seed + 1_000; next++) {
            RunFaults plan = RunFaults.random(next);

            RunFaults read = RunFaults.parse(plan.toString());

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
        assertThatThrownBy(() -> RunFaults.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "Cannot read the fault plan \"" + text + "\" from character " + character + " on: " + problem);
    }

    @Test
    void namesEveryCallThereIs() {
        assertThatThrownBy(() -> RunFaults.parse("leak()"))
                .hasMessage(
                        "Cannot read the fault plan \"leak()\" from character 1 on: expected one of failingAllocation(3),"
                                + " failingAllocation(3, L1), failingOperation(2, \"matmul\"), deviceStopsAnswering(5, 4),"
                                + " closingDevicesInOrder(1, 0), closingTwice(), closingDuringOperation(2, \"add\"),"
                                + " losingReport(3, FREE), doublingReport(3, ALLOCATION), delayingReport(3, FREE, 8),"
                                + " reorderingReports(3, 1, 2), shufflingReports(4, 42), onDevice(5), noticed()");
    }

    @Test
    void narrowsOnlyWhatCanBeNarrowed() {
        assertThatThrownBy(() -> RunFaults.none().onDevice(3)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> RunFaults.parse("failingAllocation(2).noticed()"))
                .hasMessageContaining("Only a lost report can be noticed");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void countsFromOne(long number) {
        assertThatThrownBy(() -> RunFaults.none().losingReport(number))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot use " + number + " as the number of a report: it must be 1 or more");
    }

    @Test
    void rejectsNumbersThatMeanNothing() {
        RunFaults plan = RunFaults.none();

        assertThatThrownBy(() -> plan.losingReport(1).onDevice(-1))
                .hasMessage("Cannot use -1 as the id of a device: it must be 0 or more");
        assertThatThrownBy(() -> plan.reorderingReports(1, 3))
                .hasMessage("Cannot hand on reports in the order [1, 3]: give the numbers from 1 to as many reports as"
                        + " change places, at least 2, each once");
        assertThatThrownBy(() -> plan.shufflingReports(1, 42))
                .hasMessage("Cannot shuffle 1 of the reports: at least 2 can change places");
        assertThatThrownBy(() -> plan.delayingReport(1, 0))
                .hasMessage("Cannot use 0 as a delay in reports: it must be 1 or more");
    }
}
