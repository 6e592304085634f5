package dev.meshguard.example.natives;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Compresses bytes with zstd and with the JDK. */
final class Packer {

    private Packer() {}

    static byte[] zstdAndForget(byte[] bytes) {
        return new ZstdCompressCtx().setLevel(3).compress(bytes);
    }

    static byte[] zstd(byte[] bytes) {
        try (ZstdCompressCtx context = new ZstdCompressCtx()) {
            return context.setLevel(3).compress(bytes);
        }
    }

    static byte[] streamAndForget(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        ZstdOutputStream stream = new ZstdOutputStream(packed);
        stream.write(bytes);
        stream.flush();
        return packed.toByteArray();
    }

    static byte[] stream(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (ZstdOutputStream stream = new ZstdOutputStream(packed)) {
            stream.write(bytes);
        }
        return packed.toByteArray();
    }

    static byte[] deflateAndForget(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DeflaterOutputStream stream = new DeflaterOutputStream(packed, new Deflater(Deflater.BEST_SPEED))) {
            stream.write(bytes);
        }
        return packed.toByteArray();
    }

    static byte[] deflate(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        try (DeflaterOutputStream stream = new DeflaterOutputStream(packed, deflater)) {
            stream.write(bytes);
        } finally {
            deflater.end();
        }
        return packed.toByteArray();
    }
}
