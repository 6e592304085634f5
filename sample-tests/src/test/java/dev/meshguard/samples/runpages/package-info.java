/** Tests that open the pages of runs in a browser and use them like a person. */
@NullMarked
package dev.meshguard.samples.runpages;

import org.jspecify.annotations.NullMarked;
