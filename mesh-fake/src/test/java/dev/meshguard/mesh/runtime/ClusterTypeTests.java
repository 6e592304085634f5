package dev.meshguard.mesh.runtime;

import static org.assertj.core.api.Assertions.assertThat;

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
        "N150, 7-7",
        "N300, 7-7",
        "N300_2X2, 7-7",
        "T3K, 7-7",
        "GALAXY, 7-8",
        "P150, 12-9",
        "P150_X8, 12-9",
        "P300, 12-9"
    })
    void leavesTheCoresOnWhichTtnnDoesNotDispatchByDefault(ClusterType cluster, String lastCore) {
        assertThat(cluster.computeGrid()).hasToString("[0-0 - " + lastCore + "]");
    }

    @ParameterizedTest
    @EnumSource
    void isChosenForChipsByWhoNamesNoProduct(Architecture architecture) {
        assertThat(ClusterType.of(architecture).architecture()).isEqualTo(architecture);
        assertThat(ClusterType.of(architecture).systemMesh().grid()).isEqualTo("2x4");
    }
}
