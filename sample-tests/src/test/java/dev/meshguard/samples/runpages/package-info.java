/** Opens the pages of runs in a browser and does with them what a person does. */
@NullMarked
package dev.meshguard.samples.runpages;

import org.jspecify.annotations.NullMarked;
