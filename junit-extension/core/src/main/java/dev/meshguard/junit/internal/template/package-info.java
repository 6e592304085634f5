/** What test templates of the core and of sources have in common: their invocations, one after the other. */
@NullMarked
package dev.meshguard.junit.internal.template;

import org.jspecify.annotations.NullMarked;
