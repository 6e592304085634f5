/** Tests that start JVMs of their own. */
@NullMarked
package dev.meshguard.verification.forks;

import org.jspecify.annotations.NullMarked;
