/** The mesh without hardware as a source of the JUnit extension. */
module dev.meshguard.junit.mesh {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires org.slf4j;
    requires transitive dev.meshguard.junit;
    requires transitive dev.meshguard.mesh;
    requires transitive dev.meshguard.tracker;
    requires transitive org.junit.jupiter.api;
    requires org.junit.platform.commons;
    requires org.opentest4j;

    exports dev.meshguard.junit.mesh;

    provides dev.meshguard.junit.source.AllocationSource with
            dev.meshguard.junit.mesh.FakeMeshSource;

    // Jupiter makes the extensions through their private constructors.
    opens dev.meshguard.junit.mesh to
            org.junit.platform.commons;
}
