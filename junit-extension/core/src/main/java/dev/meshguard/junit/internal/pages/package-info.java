/** The pages of the checks of a run. */
@NullMarked
package dev.meshguard.junit.internal.pages;

import org.jspecify.annotations.NullMarked;
