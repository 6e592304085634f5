/** Other processes as a source of the extension. */
@NullMarked
package dev.meshguard.junit.processes;

import org.jspecify.annotations.NullMarked;
