/** The HTML page of a run, and folders of pages with an overview of their runs. */
@NullMarked
package dev.meshguard.page;

import org.jspecify.annotations.NullMarked;
