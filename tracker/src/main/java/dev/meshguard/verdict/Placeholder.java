package dev.meshguard.verdict;

/** Keeps the package until its first type arrives. */
final class Placeholder {
    private Placeholder() {}
}
