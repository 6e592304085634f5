package dev.meshguard.verification.corpus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.FaultPlan;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Tests the contents of a plan, and its text. */
class RunFaultsTests {

    @Test
    void saysTheCallsThatCreateIt() {
        RunFaults plan = RunFaults.of(FaultPlan.none()
                        .failingAllocation(3, BufferType.L1)
                        .onDevice(5)
                        .failingOperation(2, "mat\"mul (a, b)\\\n"))
                .losingReport(4, ReportKind.FREE)
                .onDevice(0)
                .noticed()
                .doublingReport(9, ReportKind.ALLOCATION)
                .delayingReport(2, ReportKind.FREE, 8)
                .onDevice(7)
                .reorderingReports(3, 1, 2)
                .shufflingReports(4, -1)
                .onDevice(2);

        assertThat(plan)
                .hasToString("FaultPlan.none()"
                        + ".failingAllocation(3, L1).onDevice(5)"
                        + ".failingOperation(2, \"mat\\\"mul (a, b)\\\\\\n\")"
                        + ".losingReport(4, FREE).onDevice(0).noticed()"
                        + ".doublingReport(9, ALLOCATION)"
                        + ".delayingReport(2, FREE, 8).onDevice(7)"
                        + ".reorderingReports(3, 1, 2)"
                        + ".shufflingReports(4, -1L).onDevice(2)");
    }

    @Test
    void consistsOfFaultsOfTheRuntimeAndOfReports() {
        FaultPlan ofRuntime = FaultPlan.none().closingTwice().failingOperation(2);
        RunFaults plan = RunFaults.of(ofRuntime).losingReport(1).doublingReport(3);

        assertThat(plan.ofRuntime()).isEqualTo(ofRuntime);
        assertThat(plan.ofReports())
                .extracting(ReportFault::toString)
                .containsExactly("losingReport(1)", "doublingReport(3)");
        assertThat(plan.withoutFaultsOfReports()).isEqualTo(RunFaults.of(ofRuntime));
    }

    @Test
    void isNothingByDefault() {
        assertThat(RunFaults.none().isEmpty()).isTrue();
        assertThat(RunFaults.none()).hasToString("FaultPlan.none()").isEqualTo(RunFaults.of(FaultPlan.none()));
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
    void hasOneToFourFaultsWhateverItsSeed() {
        long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());

        for (long next = seed; next < seed + 1_000; next++) {
            RunFaults plan = RunFaults.random(next);

            assertThat(plan.faults()).as("-Dmeshguard.seed=%d", next).hasSizeBetween(1, 4);
            assertThat(plan).as("-Dmeshguard.seed=%d", next).isEqualTo(RunFaults.random(next));
        }
    }

    @Test
    void narrowsOnlyWhatCanBeNarrowed() {
        assertThatThrownBy(() -> RunFaults.none().onDevice(3)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() ->
                        RunFaults.of(FaultPlan.none().failingAllocation(2)).noticed())
                .hasMessageContaining("Only a lost report can be noticed");
    }
}
