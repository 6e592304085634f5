/** One page for each run and one over all of them, to be opened by a person from a folder. */
@NullMarked
package dev.meshguard.report.page;

import org.jspecify.annotations.NullMarked;
