package dev.meshguard.mesh.internal.dispatch;

/**
 * An event that a command queue recorded.
 *
 * @param id its number on the queue, from 1
 * @param queue the number of the queue
 */
public record QueueEvent(int id, int queue) {}
