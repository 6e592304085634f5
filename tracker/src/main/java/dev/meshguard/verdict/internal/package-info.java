/** The stages of a verdict: survivors and their groups, overwritten buffers, expectations, and the reasons why a check cannot decide. */
@NullMarked
package dev.meshguard.verdict.internal;

import org.jspecify.annotations.NullMarked;
