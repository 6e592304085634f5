/** Files that are written as a whole or not at all. */
@NullMarked
package dev.meshguard.file;

import org.jspecify.annotations.NullMarked;
