package dev.meshguard.samples.bindings;

import java.nio.ByteBuffer;

// region: device
/** A typical device binding of a user, called by the code under test. */
interface Device {

    /** Allocates memory; closing its handle frees it. */
    Memory allocate(int bytes);

    /** Memory of the device. */
    interface Memory extends AutoCloseable {

        long address();

        ByteBuffer bytes();

        @Override
        void close();
    }
}
// end region
