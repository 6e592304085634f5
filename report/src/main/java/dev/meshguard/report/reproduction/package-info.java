/** Tests that fail as a recorded run did. */
@NullMarked
package dev.meshguard.report.reproduction;

import org.jspecify.annotations.NullMarked;
