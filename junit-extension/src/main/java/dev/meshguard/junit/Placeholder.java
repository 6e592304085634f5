package dev.meshguard.junit;

/** Keeps the package until its first type arrives. */
public final class Placeholder {
    private Placeholder() {}
}
