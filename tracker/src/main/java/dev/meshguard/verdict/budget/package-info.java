/** Memory budgets, and the check whether they were exceeded. */
@NullMarked
package dev.meshguard.verdict.budget;

import org.jspecify.annotations.NullMarked;
