/** What assertions compute and only they use. */
@NullMarked
package dev.meshguard.assertions.internal;

import org.jspecify.annotations.NullMarked;
