/** Tests that the README and the pages of {@code docs} match the compiled code, and the code that only they show. */
@NullMarked
package dev.meshguard.samples.pages;

import org.jspecify.annotations.NullMarked;
