package dev.meshguard.samples.growth;

import static dev.meshguard.mesh.tensor.TensorDistribution.sharded2d;
import static dev.meshguard.tracker.BufferType.DRAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.assertions.AccumulationAssert;
import dev.meshguard.assertions.MeshAssertions;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Forecast;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** The leaking twin of the accumulation test: one tensor of each round is never freed, and the mesh stays open. */
class LeakOfEveryRoundTests {

    private static final int ROUNDS = 4;
    private static final int DEVICES = 8;

    private static final long PAGE = 2_048;
    private static final long BANKS = 12;

    /** (8, 8, 512, 512) of two bytes, an eighth for each device. */
    private static final long TENSOR = 8 * 8 * 512 * 512 * 2 / DEVICES;

    private static final long TENSOR_PER_BANK = ceilDiv(ceilDiv(TENSOR, PAGE), BANKS) * PAGE;

    /** A bank of DRAM less what the runtime keeps of it. */
    private static final long BANK = 1_073_741_824L - 2_560_032;

    private final AllocationTracker tracker = AllocationTracker.create();
    private final Ttnn ttnn =
            Ttnn.builder(tracker).preset(RuntimePreset.OCTOBER_2025).build();
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));

    @Test
    void growsByATensorInEachRound() {
        tracker.rounds(ROUNDS, round -> leakOne());

        AccumulationAssert accumulation = MeshAssertions.assertThat(tracker).accumulation();

        for (int device = 0; device < DEVICES; device++) {
            accumulation.memoryGrowsBy(DRAM, device, TENSOR);
        }
    }

    @Test
    void willBeFullWhenTheReservedPagesOfABankAre() {
        tracker.rounds(ROUNDS, round -> leakOne());

        long free = BANK - ROUNDS * TENSOR_PER_BANK;
        assertThat(Accumulation.of(tracker.history()).memory()).hasSize(DEVICES).allSatisfy(growth -> assertThat(
                        growth.forecast())
                .isEqualTo(new Forecast.Full(free / TENSOR_PER_BANK, BANK, free, 3 * TENSOR_PER_BANK, 3)));
    }

    @Test
    void theForecastIsWhatTheMeshThenDoes() {
        tracker.rounds(ROUNDS, round -> leakOne());
        Forecast.Full forecast = (Forecast.Full)
                Accumulation.of(tracker.history()).memory().get(0).forecast();

        for (long round = 0; round < forecast.moreRounds(); round++) {
            leakOne();
        }

        Assertions.assertThatThrownBy(this::leakOne)
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessageContaining("Out of Memory");
    }

    @Test
    void readsWithSlopeForecastAndLine() {
        tracker.rounds(ROUNDS, round -> leakOne());

        assertThat(AccumulationReport.of(Accumulation.of(tracker.history())).text())
                .isEqualTo("""
                        x""");
    }

    @Test
    void aCacheHasNeitherSlopeNorForecast() {
        tracker.rounds(ROUNDS, round -> {
            var one = tensor();
            var sum = ttnn.add(one, one);
            ttnn.deallocate(sum);
            ttnn.deallocate(one);
        });

        Accumulation accumulation = Accumulation.of(tracker.history());

        MeshAssertions.assertThat(accumulation).hasSettled().memoryGrowsBy(DRAM, 0, 0);
        assertThat(AccumulationReport.of(accumulation).text()).isEqualTo("""
                x""");
    }

    private void leakOne() {
        tensor();
    }

    private Tensor tensor() {
        return ttnn.empty(TensorShape.of(8, 8, 512, 512), DataType.BFLOAT16, mesh, sharded2d(0, 1));
    }

    private static long ceilDiv(long amount, long unit) {
        return (amount + unit - 1) / unit;
    }
}
