/** Reading of edited texts, and atomic replacement of files: a reader sees the old contents or the new, never a part. */
@NullMarked
package dev.meshguard.file;

import org.jspecify.annotations.NullMarked;
