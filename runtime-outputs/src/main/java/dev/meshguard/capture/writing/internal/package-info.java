/** Writers of the runtime's files from histories: captures and report databases. */
@NullMarked
package dev.meshguard.capture.writing.internal;

import org.jspecify.annotations.NullMarked;
