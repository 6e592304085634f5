package dev.meshguard.benchmarks.freelist;

/** Allocates addresses from the bottom up. */
public interface FreeList {

    /** Returns the address of as many bytes. */
    long allocate(long size);

    /** Takes back what was lent at an address. */
    void free(long address);
}
