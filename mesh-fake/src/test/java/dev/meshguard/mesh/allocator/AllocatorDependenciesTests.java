package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AllocatorDependenciesTests {

    @Test
    void areOneAllocatorWithoutDependenciesByDefault() {
        assertThat(AllocatorDependencies.none().allocatorCount()).isEqualTo(1);
        assertThat(AllocatorDependencies.none().avoidedBy(0)).isEmpty();
        assertThat(AllocatorDependencies.of(Map.of()).allocatorCount()).isEqualTo(1);
    }

    @Test
    void workBothWays() {
        var dependencies = AllocatorDependencies.of(Map.of(0, List.of(2, 1)));

        assertThat(dependencies.avoidedBy(0)).containsExactly(1, 2);
        assertThat(dependencies.avoidedBy(1)).containsExactly(0);
        assertThat(dependencies.avoidedBy(2)).containsExactly(0);
    }

    @Test
    void countAllocatorsThatAreNotMentionedBelowOneThatIs() {
        var dependencies = AllocatorDependencies.of(Map.of(3, List.of(1)));

        assertThat(dependencies.allocatorCount()).isEqualTo(4);
        assertThat(dependencies.avoidedBy(0)).isEmpty();
        assertThat(dependencies.avoidedBy(2)).isEmpty();
    }

    @Test
    void mayBeNamedByBothSides() {
        var dependencies = AllocatorDependencies.of(Map.of(0, List.of(1), 1, List.of(0)));

        assertThat(dependencies.avoidedBy(0)).containsExactly(1);
        assertThat(dependencies.avoidedBy(1)).containsExactly(0);
    }

    @Test
    void mustNotBeNamedTwiceByOneSide() {
        assertThatExceptionOfType(MeshRuntimeException.class)
                .isThrownBy(() -> AllocatorDependencies.of(Map.of(0, List.of(1, 2, 1))))
                .withMessage("Duplicate dependency for allocator 0: 1 appears more than once!");
    }

    @ParameterizedTest
    @MethodSource
    void areListedForEachAllocatorInAscendingOrder(Map<Integer, List<Integer>> asked, List<List<Integer>> listed) {
        assertThat(AllocatorDependencies.of(asked).dependencies()).isEqualTo(listed);
    }

    /** Figures of {@code tests/tt_metal/tt_metal/api/allocator/test_overlapped_bank_manager.cpp}. */
    static Stream<Arguments> areListedForEachAllocatorInAscendingOrder() {
        var star = List.of(List.of(1, 2, 3), List.of(0), List.of(0), List.of(0));
        return Stream.of(
                arguments(Map.of(), List.of(List.of())),
                arguments(Map.of(0, List.of()), List.of(List.of())),
                arguments(Map.of(0, List.of(1), 1, List.of(0)), List.of(List.of(1), List.of(0))),
                arguments(Map.of(3, List.of(0, 1)), List.of(List.of(3), List.of(3), List.of(), List.of(0, 1))),
                arguments(Map.of(1, List.of(3)), List.of(List.of(), List.of(3), List.of(), List.of(1))),
                arguments(Map.of(1, List.of(0), 2, List.of(0), 3, List.of(0)), star),
                arguments(Map.of(0, List.of(1, 2, 3)), star),
                arguments(
                        Map.of(0, List.of(1), 1, List.of(2), 2, List.of(3)),
                        List.of(List.of(1), List.of(0, 2), List.of(1, 3), List.of(2))),
                arguments(
                        Map.of(0, List.of(1), 1, List.of(2), 2, List.of(0)),
                        List.of(List.of(1, 2), List.of(0, 2), List.of(0, 1))));
    }

    @Test
    void areEqualWhicheverSideNamesThem() {
        var byBoth = AllocatorDependencies.of(Map.of(0, List.of(1), 1, List.of(0)));

        assertThat(AllocatorDependencies.of(Map.of(0, List.of(1))))
                .isEqualTo(byBoth)
                .hasSameHashCodeAs(byBoth)
                .hasToString("[[1], [0]]");
        assertThat(AllocatorDependencies.of(Map.of(1, List.of(0)))).isEqualTo(byBoth);
        assertThat(AllocatorDependencies.of(Map.of(1, List.of(0), 2, List.of())))
                .isNotEqualTo(byBoth);
    }

    @Test
    void doNotKnowAnAllocatorBeyondTheLast() {
        assertThatExceptionOfType(MeshRuntimeException.class)
                .isThrownBy(() -> AllocatorDependencies.none().avoidedBy(1))
                .withMessage("Invalid allocator ID 1 (num_allocators=1)");
    }

    @Test
    void rejectANegativeId() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> AllocatorDependencies.of(Map.of(0, List.of(-1))))
                .withMessage("Cannot use -1 as an allocator id: ids start at 0. Number the allocators from 0 upwards.");
    }
}
