package dev.meshguard.mesh.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ClusterTypeTests {

    @ParameterizedTest
    @CsvSource({
        "N150, WORMHOLE_B0, 1x1",
        "N300, WORMHOLE_B0, 1x2",
        "N300_2X2, WORMHOLE_B0, 2x2",
        "T3K, WORMHOLE_B0, 2x4",
        "GALAXY, WORMHOLE_B0, 8x4",
        "P150, BLACKHOLE, 1x1",
        "P150_X2, BLACKHOLE, 1x2",
        "P150_X4, BLACKHOLE, 2x2",
        "P150_X8, BLACKHOLE, 2x4",
        "P300, BLACKHOLE, 1x2",
        "P300_X2, BLACKHOLE, 2x2"
    })
    void isMadeOfChipsThatLieInAMesh(ClusterType cluster, Architecture architecture, String mesh) {
        assertThat(cluster.architecture()).isEqualTo(architecture);
        assertThat(cluster.systemMesh().grid()).isEqualTo(mesh);
    }

    @ParameterizedTest
    @CsvSource({
        "N150, 8x8, 7x9, 8x8",
        "N300, 8x7, 7x8, 8x8",
        "N300_2X2, 8x7, 7x8, 8x8",
        "T3K, 8x7, 7x8, 8x8",
        "GALAXY, 8x9, 7x10, 8x10"
    })
    void leavesCoresByWhereWormholesDispatch(ClusterType cluster, String row, String column, String ethernet) {
        assertThat(cluster.computeGrid(DispatchCoreConfig.of(DispatchCoreType.WORKER, DispatchCoreAxis.ROW), 0))
                .hasToString(row);
        assertThat(cluster.computeGrid(DispatchCoreConfig.of(DispatchCoreType.WORKER, DispatchCoreAxis.COL), 0))
                .hasToString(column);
        assertThat(cluster.computeGrid(DispatchCoreConfig.of(DispatchCoreType.ETH), 0))
                .hasToString(ethernet);
    }

    @ParameterizedTest
    @CsvSource({"0, 130, 140", "1, 120, 130", "2, 110, 120"})
    void leavesFewerCoresOnHarvestedBlackholes(int harvested, int besideColumn, int besideEthernet) {
        assertThat(ClusterType.P150
                        .computeGrid(DispatchCoreConfig.defaults(), harvested)
                        .size())
                .isEqualTo(besideColumn);
        assertThat(ClusterType.P300_X2
                        .computeGrid(DispatchCoreConfig.of(DispatchCoreType.ETH), harvested)
                        .size())
                .isEqualTo(besideEthernet);
    }

    @ParameterizedTest
    @CsvSource({
        "N150, 8x8",
        "N300, 8x8",
        "N300_2X2, 8x8",
        "T3K, 8x8",
        "GALAXY, 8x9",
        "P150, 13x10",
        "P150_X8, 13x10",
        "P300, 13x10"
    })
    void dispatchesWhereTtnnDoesByDefault(ClusterType cluster, String grid) {
        assertThat(cluster.computeGrid(DispatchCoreConfig.defaults(), 0)).hasToString(grid);
    }

    @Test
    void takesTheKindOfCoresThatGoesWithAnAxis() {
        assertThat(DispatchCoreConfig.of(DispatchCoreAxis.COL).typeOn(ClusterType.T3K))
                .isEqualTo(DispatchCoreType.WORKER);
        assertThat(DispatchCoreConfig.of(DispatchCoreAxis.ROW).typeOn(ClusterType.T3K))
                .isEqualTo(DispatchCoreType.ETH);
        assertThat(DispatchCoreConfig.of(DispatchCoreAxis.ROW).typeOn(ClusterType.GALAXY))
                .isEqualTo(DispatchCoreType.WORKER);
        assertThat(ClusterType.T3K.computeGrid(DispatchCoreConfig.of(DispatchCoreAxis.COL), 0))
                .hasToString("7x8");
    }

    @Test
    void takesTheAxisThatGoesWithTheChips() {
        assertThat(DispatchCoreConfig.of(DispatchCoreType.WORKER).axisOn(ClusterType.T3K))
                .isEqualTo(DispatchCoreAxis.ROW);
        assertThat(DispatchCoreConfig.of(DispatchCoreType.ETH).axisOn(ClusterType.P300))
                .isEqualTo(DispatchCoreAxis.COL);
    }

    @Test
    void hasNoColumnsOfEthernetCores() {
        assertThatThrownBy(() -> DispatchCoreConfig.of(DispatchCoreType.ETH, DispatchCoreAxis.COL))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("COL axis is not supported for ETH dispatch core type");
    }

    @Test
    void hasNoRowsToDispatchOnInABlackhole() {
        assertThatThrownBy(() -> ClusterType.P150.computeGrid(DispatchCoreConfig.of(DispatchCoreAxis.ROW), 0))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage(
                        "ROW dispatch core axis is not supported for blackhole arch unless fabric tensix MUX is enabled");
    }

    @Test
    void harvestsAtMostTwoColumnsAndOnlyOfBlackholes() {
        assertThatThrownBy(() -> ClusterType.P150.computeGrid(DispatchCoreConfig.defaults(), 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot remove 3 columns of cores from Blackhole chips: at most 2 are harvested");
        assertThatThrownBy(() -> ClusterType.T3K.computeGrid(DispatchCoreConfig.defaults(), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot remove 1 columns of cores from Wormhole B0 chips: at most 0 are harvested");
        assertThatThrownBy(() -> ClusterType.P150.computeGrid(DispatchCoreConfig.defaults(), -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot remove -1 columns of cores from Blackhole chips: at most 2 are harvested");
    }

    @ParameterizedTest
    @EnumSource
    void isChosenForChipsByWhoNamesNoProduct(Architecture architecture) {
        assertThat(ClusterType.of(architecture).architecture()).isEqualTo(architecture);
        assertThat(ClusterType.of(architecture).systemMesh().grid()).isEqualTo("2x4");
    }

    @Test
    void hasAGridOfOneCoreAtLeast() {
        assertThatThrownBy(() -> new CoreGrid(0, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot use a grid of 0x8 cores: it has a row and a column at least");
    }
}
