/** Command queues and the traces that they record. */
@NullMarked
package dev.meshguard.mesh.internal.dispatch;

import org.jspecify.annotations.NullMarked;
