/** Tests that open the pages of runs in a browser and use them like a person. */
@NullMarked
package dev.meshguard.verification.runpages;

import org.jspecify.annotations.NullMarked;
