/** What runs of a mesh are worth once they were written down and read again. */
@NullMarked
package dev.meshguard.samples.formats;

import org.jspecify.annotations.NullMarked;
