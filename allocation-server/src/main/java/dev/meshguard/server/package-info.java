/** The allocation server: how real processes report to a tracker. */
@NullMarked
package dev.meshguard.server;

import org.jspecify.annotations.NullMarked;
