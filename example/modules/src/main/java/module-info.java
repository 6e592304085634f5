/** Tests that live in a module: what is asked of MeshGuard is asked for here, and nothing is left to the class path. */
// region: descriptor
module dev.meshguard.example.modules {
    requires dev.meshguard.assertions;
    requires dev.meshguard.closeables;
    requires dev.meshguard.junit.mesh;
    requires dev.meshguard.mockito;
    requires org.junit.jupiter.api;
    requires org.mockito;

    exports dev.meshguard.example.modules;

    // Fields of tests are searched for what holds a buffer. Surefire opens them by itself; other runners may not.
    opens dev.meshguard.example.modules to
            dev.meshguard.tracker;
}
// end region
