/** What pages of many runs have in common: a record of each, and one page over all of them. */
@NullMarked
package dev.meshguard.report.page.internal.suite;

import org.jspecify.annotations.NullMarked;
