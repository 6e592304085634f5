package dev.meshguard.assertions.error;

/** Keeps the package until its first type arrives. */
final class Placeholder {
    private Placeholder() {}
}
