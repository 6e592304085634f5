package dev.meshguard.junit;

/** Keeps the package until its first type arrives. */
final class Placeholder {
    private Placeholder() {}
}
