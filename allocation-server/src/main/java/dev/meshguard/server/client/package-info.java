/** The client with which a program reports to an allocation server. */
@NullMarked
package dev.meshguard.server.client;

import org.jspecify.annotations.NullMarked;
