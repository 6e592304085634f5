package dev.meshguard.samples.bindings;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Code that knows nothing of tests. */
// region: code
class Archive implements AutoCloseable {

    final Deflater deflater = new Deflater(Deflater.BEST_SPEED);

    byte[] pack(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream stream = new DeflaterOutputStream(packed, deflater)) {
            stream.write(bytes);
        }
        return packed.toByteArray();
    }

    @Override
    public void close() {}
}
// end region
