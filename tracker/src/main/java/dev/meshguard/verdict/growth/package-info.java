/** What repeated rounds leave behind, and where that leads. */
@NullMarked
package dev.meshguard.verdict.growth;

import org.jspecify.annotations.NullMarked;
