/** Folders of pages, each with an overview of its runs. */
@NullMarked
package dev.meshguard.page.suite;

import org.jspecify.annotations.NullMarked;
