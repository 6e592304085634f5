/** Decompression of files, recognized by their first bytes: gzip and zstd. */
@NullMarked
package dev.meshguard.capture.compression.internal;

import org.jspecify.annotations.NullMarked;
