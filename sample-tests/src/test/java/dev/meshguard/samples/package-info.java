/** Real scenarios of tt-metal as tests. */
@NullMarked
package dev.meshguard.samples;

import org.jspecify.annotations.NullMarked;
