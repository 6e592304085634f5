package dev.meshguard.closeables.weave.loaded;

/** A class without a closing method. */
public class EndlessHandle {}
