/** What an allocation server has in its books, and the lines that it logs. */
@NullMarked
package dev.meshguard.server.books.internal;

import org.jspecify.annotations.NullMarked;
