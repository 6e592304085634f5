/** The messages of failed assertions, one factory for each. */
@NullMarked
package dev.meshguard.assertions.error;

import org.jspecify.annotations.NullMarked;
