/** Writers of the runtime's files from histories: graph captures and report databases. */
@NullMarked
package dev.meshguard.verification.corpus.writing;

import org.jspecify.annotations.NullMarked;
