/** Writers of the runtime's files from histories: graph captures and report databases. */
@NullMarked
package dev.meshguard.samples.corpus.writing;

import org.jspecify.annotations.NullMarked;
