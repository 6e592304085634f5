/** The state of a mesh that its queues, traces, programs and buffers share. */
@NullMarked
package dev.meshguard.mesh.internal.context;

import org.jspecify.annotations.NullMarked;
