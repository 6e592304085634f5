/** How much memory may be used, and whether it was kept to. */
@NullMarked
package dev.meshguard.verdict.budget;

import org.jspecify.annotations.NullMarked;
