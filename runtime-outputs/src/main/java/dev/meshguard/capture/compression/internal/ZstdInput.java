package dev.meshguard.capture.compression.internal;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.ZipException;

/**
 * Decompresses zstd, if its library is present: the library contains native code, which most users of the readers do
 * not need.
 */
final class ZstdInput extends FilterInputStream {

    private ZstdInput(InputStream decompressed) {
        super(decompressed);
    }

    /**
     * Starts decompressing.
     *
     * @throws LinkageError if the library is missing, or has no native code for this system
     */
    static InputStream open(InputStream compressed) throws IOException {
        return new ZstdInput(new ZstdInputStream(compressed));
    }

    /** Damaged data is reported in the same way as for gzip. */
    @Override
    public int read(byte[] target, int from, int most) throws IOException {
        try {
            return super.read(target, from, most);
        } catch (ZstdIOException e) {
            throw spoilt(e);
        }
    }

    @Override
    public int read() throws IOException {
        try {
            return super.read();
        } catch (ZstdIOException e) {
            throw spoilt(e);
        }
    }

    private static ZipException spoilt(ZstdIOException cause) {
        ZipException spoilt = new ZipException(cause.getMessage());
        spoilt.initCause(cause);
        return spoilt;
    }
}
