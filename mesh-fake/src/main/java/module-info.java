/** A mesh device without hardware. */
module dev.meshguard.mesh {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires org.slf4j;
    requires transitive dev.meshguard.tracker;

    exports dev.meshguard.mesh;
    exports dev.meshguard.mesh.allocator;
    exports dev.meshguard.mesh.buffer;
    exports dev.meshguard.mesh.fault;
    exports dev.meshguard.mesh.runtime;
    exports dev.meshguard.mesh.shape;
    exports dev.meshguard.mesh.tensor;

    // Whoever looks for what holds a buffer looks through tensors, programs and what they are made of.
    opens dev.meshguard.mesh to
            dev.meshguard.tracker;
    opens dev.meshguard.mesh.buffer to
            dev.meshguard.tracker;
    opens dev.meshguard.mesh.tensor to
            dev.meshguard.tracker;
}
