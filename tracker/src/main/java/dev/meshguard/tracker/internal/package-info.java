/** The loggers of lines below WARN, for all modules. */
@NullMarked
package dev.meshguard.tracker.internal;

import org.jspecify.annotations.NullMarked;
