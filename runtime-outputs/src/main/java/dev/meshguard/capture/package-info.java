/** Graph captures and report databases of tt-metal, as histories. */
@NullMarked
package dev.meshguard.capture;

import org.jspecify.annotations.NullMarked;
