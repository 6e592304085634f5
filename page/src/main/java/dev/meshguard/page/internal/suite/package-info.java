/** The records and the overview page of many runs. */
@NullMarked
package dev.meshguard.page.internal.suite;

import org.jspecify.annotations.NullMarked;
