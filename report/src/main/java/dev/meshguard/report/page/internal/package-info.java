/** How a page is put together: what is inlined, and what a browser is allowed to do with it. */
@NullMarked
package dev.meshguard.report.page.internal;

import org.jspecify.annotations.NullMarked;
