/** Decompression of gzip, which is recognized by its first bytes. */
@NullMarked
package dev.meshguard.capture.compression.internal;

import org.jspecify.annotations.NullMarked;
