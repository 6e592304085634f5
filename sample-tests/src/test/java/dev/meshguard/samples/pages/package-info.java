/** The code that only a page of {@code docs} shows. */
@NullMarked
package dev.meshguard.samples.pages;

import org.jspecify.annotations.NullMarked;
