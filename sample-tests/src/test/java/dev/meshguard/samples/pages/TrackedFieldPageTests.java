package dev.meshguard.samples.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.Tracked;
import dev.meshguard.mesh.MeshDevice;
import org.junit.jupiter.api.Test;

/** A mesh in a field. */
// region: field
@TrackAllocations
class TrackedFieldPageTests {

    @Tracked
    private MeshDevice mesh;

    @Test
    void isOpen() {
        assertThat(mesh.isOpen()).isTrue();
    }
}
// end region
