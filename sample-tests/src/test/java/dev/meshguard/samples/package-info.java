/** The field's real scenarios as tests. */
@NullMarked
package dev.meshguard.samples;

import org.jspecify.annotations.NullMarked;
