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

    // The search for the holders of a buffer traverses tensors, programs and their parts.
    opens dev.meshguard.mesh to
            dev.meshguard.tracker;
    opens dev.meshguard.mesh.buffer to
            dev.meshguard.tracker;
    opens dev.meshguard.mesh.internal.tensor to
            dev.meshguard.tracker;
    opens dev.meshguard.mesh.tensor to
            dev.meshguard.tracker;
}
