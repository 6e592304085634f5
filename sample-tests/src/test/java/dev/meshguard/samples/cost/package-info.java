/** What a check costs where there is a lot to say. */
@NullMarked
package dev.meshguard.samples.cost;

import org.jspecify.annotations.NullMarked;
