package dev.meshguard.mesh.shape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the paths of lines with a search that abandons no path early. */
class LineSearchTests {

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 5", "5, 1", "2, 2", "2, 3", "3, 2", "2, 5", "3, 3", "3, 4", "4, 3", "3, 5"})
    void findsTheWayOfThePlainSearchForEveryLengthAndOffset(int rows, int columns) {
        MeshShape mesh = MeshShape.of(rows, columns);

        for (MeshCoordinate offset : MeshCoordinateRange.of(mesh)) {
            for (int length = 1; length <= mesh.meshSize(); length++) {
                List<MeshCoordinate> expected = new PlainSearch(length, mesh, offset).way();
                int searched = length;
                if (expected.isEmpty()) {
                    assertThatThrownBy(() -> LineSearch.find(searched, mesh, offset))
                            .isInstanceOf(MeshRuntimeException.class)
                            .hasMessage("Failed to get line coordinates, got 1 coordinates, expected " + length);
                } else {
                    assertThat(LineSearch.find(length, mesh, offset))
                            .as("%d devices of %s from %s", length, mesh, offset)
                            .isEqualTo(expected);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 4", "4, 8", "8, 8"})
    void endsSoonForEveryLengthAndOffsetOfAGalaxy(int rows, int columns) {
        MeshShape mesh = MeshShape.of(rows, columns);

        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
            for (MeshCoordinate offset : MeshCoordinateRange.of(mesh)) {
                for (int length = 1; length <= mesh.meshSize(); length++) {
                    assertThat(LineSearch.find(length, mesh, offset))
                            .hasSize(length)
                            .doesNotHaveDuplicates();
                }
            }
        });
    }

    @Test
    void closesTheWholeGalaxyToARing() {
        List<MeshCoordinate> line = LineSearch.find(32, MeshShape.of(8, 4), MeshCoordinate.of(0, 0));

        assertThat(line)
                .startsWith(at(0, 0), at(0, 1), at(0, 2), at(0, 3), at(1, 3))
                .endsWith(at(1, 0));
    }

    @Test
    void rejectsASearchThatTheRuntimeWouldNotEnd() {
        assertThatThrownBy(() -> LineSearch.find(139, MeshShape.of(20, 7), at(9, 3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot lay a line of 139 devices into a 20x7 mesh from MeshCoordinate([9, 3]) on:"
                        + " 200000 steps of the runtime's search found no way, and the runtime would search for even longer."
                        + " Ask for another length or offset, or name the devices.");
    }

    private static MeshCoordinate at(int row, int column) {
        return MeshCoordinate.of(row, column);
    }

    /** Depth first: right, down, left, up; a ring if there is one, any path otherwise. */
    private static final class PlainSearch {

        private final int length;
        private final MeshShape mesh;
        private final MeshCoordinate start;

        PlainSearch(int length, MeshShape mesh, MeshCoordinate start) {
            this.length = length;
            this.mesh = mesh;
            this.start = start;
        }

        List<MeshCoordinate> way() {
            List<MeshCoordinate> way = new ArrayList<>(List.of(start));
            return extend(way, true) || extend(way, false) ? way : List.of();
        }

        private boolean extend(List<MeshCoordinate> way, boolean ring) {
            if (way.size() >= length) {
                return true;
            }
            for (MeshCoordinate next : neighbours(way.get(way.size() - 1))) {
                boolean open =
                        ring && way.size() == length - 1 && !neighbours(start).contains(next);
                if (!way.contains(next) && !open) {
                    way.add(next);
                    if (extend(way, ring)) {
                        return true;
                    }
                    way.remove(way.size() - 1);
                }
            }
            return false;
        }

        private List<MeshCoordinate> neighbours(MeshCoordinate of) {
            List<MeshCoordinate> neighbours = new ArrayList<>();
            of.neighbour(mesh, 1, 1, MeshCoordinate.BoundaryMode.NONE).ifPresent(neighbours::add);
            of.neighbour(mesh, 1, 0, MeshCoordinate.BoundaryMode.NONE).ifPresent(neighbours::add);
            of.neighbour(mesh, -1, 1, MeshCoordinate.BoundaryMode.NONE).ifPresent(neighbours::add);
            of.neighbour(mesh, -1, 0, MeshCoordinate.BoundaryMode.NONE).ifPresent(neighbours::add);
            return neighbours;
        }
    }
}
