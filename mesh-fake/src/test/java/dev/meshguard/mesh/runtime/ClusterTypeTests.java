package dev.meshguard.mesh.runtime;

import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static org.assertj.core.api.Assertions.assertThat;

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
        "N150, 8x8",
        "N300, 8x8",
        "N300_2X2, 8x8",
        "T3K, 8x8",
        "GALAXY, 8x9",
        "P150, 13x10",
        "P150_X8, 13x10",
        "P300, 13x10"
    })
    void leavesTheCoresOnWhichTtnnDoesNotDispatchByDefault(ClusterType cluster, String grid) {
        assertThat(cluster.computeGrid()).hasToString(grid);
    }

    @ParameterizedTest
    @EnumSource
    void isChosenForChipsByWhoNamesNoProduct(Architecture architecture) {
        assertThat(ClusterType.of(architecture).architecture()).isEqualTo(architecture);
        assertThat(ClusterType.of(architecture).systemMesh().grid()).isEqualTo("2x4");
    }

    @Test
    void hasAGridOfOneCoreAtLeast() {
        assertIllegalArgument(
                () -> new CoreGrid(0, 8), "Cannot use a grid of 0x8 cores: it has a row and a column at least");
    }
}
