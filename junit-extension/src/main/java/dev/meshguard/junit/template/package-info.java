/**
 * Tests that run several times: with a fault at each allocation, with combinations of faults, or until growth is
 * decided.
 */
@NullMarked
package dev.meshguard.junit.template;

import org.jspecify.annotations.NullMarked;
