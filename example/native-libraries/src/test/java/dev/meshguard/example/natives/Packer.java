package dev.meshguard.example.natives;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Compresses bytes with zstd. */
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
}
