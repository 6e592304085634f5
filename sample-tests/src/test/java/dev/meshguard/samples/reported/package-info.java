/** Programs that users of tt-metal, tt-mlir and tt-xla reported: as they were, and mended. */
@NullMarked
package dev.meshguard.samples.reported;

import org.jspecify.annotations.NullMarked;
