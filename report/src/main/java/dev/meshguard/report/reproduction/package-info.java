/** Tests that fail like a recorded run. */
@NullMarked
package dev.meshguard.report.reproduction;

import org.jspecify.annotations.NullMarked;
