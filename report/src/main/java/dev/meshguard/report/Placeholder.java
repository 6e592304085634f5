package dev.meshguard.report;

/** Keeps the package until its first type arrives. */
public final class Placeholder {
    private Placeholder() {}
}
