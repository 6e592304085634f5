/** Loggers of lines below WARN, and weak maps, for all modules. */
@NullMarked
package dev.meshguard.tracker.internal;

import org.jspecify.annotations.NullMarked;
