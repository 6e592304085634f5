/** The part of a mesh that its queues, traces, programs and buffers see. */
@NullMarked
package dev.meshguard.mesh.internal.context;

import org.jspecify.annotations.NullMarked;
