/** HTML pages for readers: one for each run and an overview, opened from a folder. */
@NullMarked
package dev.meshguard.report.page;

import org.jspecify.annotations.NullMarked;
