/** The HTML page of a run. */
@NullMarked
package dev.meshguard.page;

import org.jspecify.annotations.NullMarked;
