/** The construction of a page: embedded content, and the permissions of a browser. */
@NullMarked
package dev.meshguard.page.internal;

import org.jspecify.annotations.NullMarked;
