/** The ways of reports from a program to a verdict, a server's log among them, and the comparison with the verdict in the same process. */
@NullMarked
package dev.meshguard.verification.corpus.route;

import org.jspecify.annotations.NullMarked;
