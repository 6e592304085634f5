/** Classes that tests load in class loaders of their own. */
package dev.meshguard.closeables.weave.loaded;
