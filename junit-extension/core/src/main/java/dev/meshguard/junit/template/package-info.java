/** Tests that run several times until their growth is decided. */
@NullMarked
package dev.meshguard.junit.template;

import org.jspecify.annotations.NullMarked;
