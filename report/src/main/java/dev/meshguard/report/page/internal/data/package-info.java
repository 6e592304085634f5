/** What is in a page: the figures of a run as JSON. */
@NullMarked
package dev.meshguard.report.page.internal.data;

import org.jspecify.annotations.NullMarked;
