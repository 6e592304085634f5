/** Tests of the README and the pages of {@code docs}, of names in the sources, and of the maps of modules. */
@NullMarked
package dev.meshguard.verification.documents;

import org.jspecify.annotations.NullMarked;
