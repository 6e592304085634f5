/** The heap that reading a file takes, estimated before it is read. */
@NullMarked
package dev.meshguard.capture.heap.internal;

import org.jspecify.annotations.NullMarked;
