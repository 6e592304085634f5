package dev.meshguard.samples.bindings;

import java.nio.ByteBuffer;

// region: device
/** A device binding as a user has it: what the code under test knows. */
interface Device {

    /** Takes memory; its handle gives it back when it is closed. */
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
