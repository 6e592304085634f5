package dev.meshguard.example.forked;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mesh.MeshDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Ends its JVM as the kernel does when memory runs out: nothing that JUnit or a shutdown hook does comes after it. */
@TrackAllocations
@EnabledIfSystemProperty(named = "kill", matches = "true")
class KilledTests {

    @Test
    void endsItsJvm(MeshDevice mesh) {
        Runtime.getRuntime().halt(137);
    }
}
