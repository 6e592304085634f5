/** Tests that run several times: with faults, with each of several, and until growth is decided. */
@NullMarked
package dev.meshguard.junit.template;

import org.jspecify.annotations.NullMarked;
