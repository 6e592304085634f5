/** Code that several report packages share. */
@NullMarked
package dev.meshguard.report.internal;

import org.jspecify.annotations.NullMarked;
