package dev.meshguard.verification.corpus.faults;

import static dev.meshguard.verification.corpus.faults.ReportFault.delayingReport;
import static dev.meshguard.verification.corpus.faults.ReportFault.doublingReport;
import static dev.meshguard.verification.corpus.faults.ReportFault.losingReport;
import static dev.meshguard.verification.corpus.faults.ReportFault.reorderingReports;
import static dev.meshguard.verification.corpus.faults.ReportFault.shufflingReports;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.verification.corpus.faults.ReportFault.Kind;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Tests the contents of a plan, and its text, which selects cases of the corpus. */
class RunFaultsTests {

    @Test
    void itsTextIsTheCallsThatCreateIt() {
        RunFaults plan = RunFaults.of(FaultPlan.none().closingTwice())
                .with(losingReport(4).of(Kind.FREE).onDevice(0).noticed())
                .with(doublingReport(9).of(Kind.ALLOCATION))
                .with(delayingReport(2, 8).onDevice(7))
                .with(reorderingReports(3, 1, 2))
                .with(shufflingReports(4, -1).onDevice(2));

        assertThat(plan)
                .hasToString("FaultPlan.none().closingTwice()"
                        + ".losingReport(4, FREE).onDevice(0).noticed()"
                        + ".doublingReport(9, ALLOCATION)"
                        + ".delayingReport(2, 8).onDevice(7)"
                        + ".reorderingReports(3, 1, 2)"
                        + ".shufflingReports(4, -1L).onDevice(2)");
        assertThat(plan.withoutFaultsOfReports()).hasToString("FaultPlan.none().closingTwice()");
    }

    @Test
    void comesFromASeedAlikeForEver() {
        assertThat(RunFaults.random(42))
                .hasToString("FaultPlan.none().closingTwice().delayingReport(5, FREE, 39).shufflingReports(5, 182L)");
    }

    @Test
    void hasOneToFourFaultsWhateverItsSeed() {
        long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());

        for (long next = seed; next < seed + 1_000; next++) {
            RunFaults plan = RunFaults.random(next);

            assertThat(plan.ofRuntime().faults().size() + plan.ofReports().size())
                    .as("-Dmeshguard.seed=%d", next)
                    .isBetween(1, 4);
            assertThat(plan).as("-Dmeshguard.seed=%d", next).isEqualTo(RunFaults.random(next));
        }
    }
}
