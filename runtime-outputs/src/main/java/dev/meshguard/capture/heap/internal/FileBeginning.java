package dev.meshguard.capture.heap.internal;

import dev.meshguard.capture.compression.internal.PlainInput;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The first megabyte of a regular file, without its compression. */
final class FileBeginning {

    private static final int LENGTH = 1 << 20;

    private final byte[] bytes;

    /** The share of the file that they are, up to 1. */
    private final double share;

    private FileBeginning(byte[] bytes, double share) {
        this.bytes = bytes;
        this.share = share;
    }

    /** Reads it. Of a compressed file, the share is that of the compressed bytes. */
    static FileBeginning of(Path file) throws IOException {
        CountedInput raw = new CountedInput(Files.newInputStream(file));
        PlainInput plain = PlainInput.of(raw);
        try (InputStream stream = plain.stream()) {
            byte[] bytes = stream.readNBytes(LENGTH);
            long read = plain.isCompressed() ? raw.count : bytes.length;
            return new FileBeginning(bytes, bytes.length < LENGTH ? 1 : Math.min(1, (double) read / Files.size(file)));
        } finally {
            raw.close();
        }
    }

    /** Returns how often the whole file has a word, if the rest of it is like its beginning. */
    long count(String word) {
        long found = 0;
        for (int at = 0; at <= bytes.length - word.length(); at++) {
            found += isAt(at, word) ? 1 : 0;
        }
        return Math.round(found / share);
    }

    private boolean isAt(int from, String word) {
        for (int i = 0; i < word.length(); i++) {
            if (bytes[from + i] != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static final class CountedInput extends FilterInputStream {
        private long count;

        private CountedInput(InputStream file) {
            super(file);
        }

        @Override
        public int read() throws IOException {
            int one = super.read();
            count += one < 0 ? 0 : 1;
            return one;
        }

        @Override
        public int read(byte[] target, int from, int most) throws IOException {
            int some = super.read(target, from, most);
            count += Math.max(0, some);
            return some;
        }
    }
}
