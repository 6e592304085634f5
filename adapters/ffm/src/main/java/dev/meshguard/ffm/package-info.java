/**
 * Arenas of the foreign function and memory API as a source of the JUnit extension.
 *
 * @since 0.1
 */
@NullMarked
@API(status = Status.EXPERIMENTAL, since = "0.1")
package dev.meshguard.ffm;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.NullMarked;
