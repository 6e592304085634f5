/** Reads the settings of tests: from annotations, from extensions in fields and from configuration parameters. */
@NullMarked
package dev.meshguard.junit.internal.config;

import org.jspecify.annotations.NullMarked;
