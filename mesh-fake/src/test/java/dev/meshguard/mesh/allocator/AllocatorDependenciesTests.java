package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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

    @Test
    void doNotKnowAnAllocatorBeyondTheLast() {
        assertThatExceptionOfType(MeshRuntimeException.class)
                .isThrownBy(() -> AllocatorDependencies.none().avoidedBy(1))
                .withMessage("Invalid allocator ID 1 (num_allocators=1)");
    }

    @Test
    void refuseANegativeId() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> AllocatorDependencies.of(Map.of(0, List.of(-1))))
                .withMessage("Cannot use -1 as an allocator id: ids start at 0. Number the allocators from 0 upwards.");
    }
}
