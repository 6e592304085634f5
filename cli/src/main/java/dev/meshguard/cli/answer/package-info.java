/** How commands answer and refuse, and what the answers are measured by. */
@NullMarked
package dev.meshguard.cli.answer;

import org.jspecify.annotations.NullMarked;
