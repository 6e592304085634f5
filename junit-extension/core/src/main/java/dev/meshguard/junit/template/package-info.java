/** Tests that are repeated until their memory is stable or grows. */
@NullMarked
package dev.meshguard.junit.template;

import org.jspecify.annotations.NullMarked;
