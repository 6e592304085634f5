/** Text for readers: sizes, addresses and counts, names of stack frames, and escapes of text from outside. */
@NullMarked
package dev.meshguard.text;

import org.jspecify.annotations.NullMarked;
