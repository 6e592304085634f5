/** The data of a page: a run as JSON. */
@NullMarked
package dev.meshguard.page.internal.data;

import org.jspecify.annotations.NullMarked;
