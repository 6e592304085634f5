/** Tests in several JVMs that write pages to one folder. */
@NullMarked
package dev.meshguard.samples.forks;

import org.jspecify.annotations.NullMarked;
