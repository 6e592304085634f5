/** Holds the README and the pages of {@code docs} to what runs, and the code that they show and that no other sample has. */
@NullMarked
package dev.meshguard.samples.pages;

import org.jspecify.annotations.NullMarked;
