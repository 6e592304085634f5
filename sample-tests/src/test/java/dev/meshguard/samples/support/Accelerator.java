package dev.meshguard.samples.support;

/** A device binding as a user might have one. */
public interface Accelerator {

    /** Takes memory on a device and returns its address. */
    long allocate(int device, long bytes);

    /** Gives memory back. */
    void free(int device, long address);
}
