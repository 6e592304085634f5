package dev.meshguard.capture.heap.internal;

import dev.meshguard.capture.compression.internal.PlainInput;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The first megabyte of a regular file, without its compression. */
final class FileBeginning {

    private static final int LENGTH = 1 << 20;

    /** A character for each byte. */
    private final String text;

    /** The share of the file that it is, up to 1. */
    private final double share;

    private FileBeginning(String text, double share) {
        this.text = text;
        this.share = share;
    }

    /** Reads it. Of a compressed file, the share is that of the compressed bytes. */
    static FileBeginning of(Path file) throws IOException {
        CountedInput raw = new CountedInput(Files.newInputStream(file));
        PlainInput plain = PlainInput.of(raw);
        try (InputStream stream = plain.stream()) {
            byte[] bytes = stream.readNBytes(LENGTH);
            long read = plain.isCompressed() ? raw.count : bytes.length;
            return new FileBeginning(
                    new String(bytes, StandardCharsets.ISO_8859_1),
                    bytes.length < LENGTH ? 1 : Math.min(1, (double) read / Files.size(file)));
        } finally {
            raw.close();
        }
    }

    /** Returns whether the file begins with a text. */
    boolean startsWith(String beginning) {
        return text.startsWith(beginning);
    }

    /** Returns how often a pattern is found in the whole file, if the rest of it is like its beginning. */
    long count(Pattern pattern) {
        return Math.round(pattern.matcher(text).results().count() / share);
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
