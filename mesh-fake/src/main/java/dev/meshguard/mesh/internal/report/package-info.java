/** Reports buffers to the listener, changed as the enabled RuntimeDefects demand. */
@NullMarked
package dev.meshguard.mesh.internal.report;

import org.jspecify.annotations.NullMarked;
