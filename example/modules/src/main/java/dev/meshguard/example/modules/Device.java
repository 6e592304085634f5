package dev.meshguard.example.modules;

/** A device binding of the user's own. */
public interface Device {

    long allocate(long bytes);

    void free(long address);
}
