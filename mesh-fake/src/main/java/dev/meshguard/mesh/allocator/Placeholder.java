package dev.meshguard.mesh.allocator;

/** Keeps the package until its first type arrives. */
final class Placeholder {
    private Placeholder() {}
}
