package dev.meshguard.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MeshDescriptionTests {

    @Test
    void aRootMeshIsCalledByItsName() {
        MeshDescription mesh = MeshDescription.of(0, "2x4 mesh", List.of(0, 1));

        assertThat(mesh.description()).isEqualTo("2x4 mesh");
        assertThat(mesh.parent()).isEmpty();
        assertThat(mesh).isEqualTo(new MeshDescription(0, "2x4 mesh", List.of(0, 1), -1));
    }

    @Test
    void aSubmeshIsCalledAfterTheMeshItIsAPartOf() {
        MeshDescription submesh = new MeshDescription(3, "1x2 submesh", List.of(2, 3), 2).withParent(1);

        assertThat(submesh.description()).isEqualTo("1x2 submesh of mesh 1");
        assertThat(submesh.parent()).hasValue(1);
        assertThat(submesh.busiestDevice()).isEqualTo(2);
        assertThat(submesh.devices()).containsExactly(2, 3);
    }
}
