/** What happened to every buffer: reports in, an immutable history out. */
@NullMarked
package dev.meshguard.tracker;

import org.jspecify.annotations.NullMarked;
