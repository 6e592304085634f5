package dev.meshguard.assertions;

/** Keeps the package until its first type arrives. */
public final class Placeholder {
    private Placeholder() {}
}
