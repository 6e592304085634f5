package dev.meshguard.mesh.internal.dispatch;

/**
 * Identifies an event on a command queue by two numbers; {@code MeshEvent} is the handle of users.
 *
 * @param id its number on the queue, from 1
 * @param queue the number of the queue
 */
public record QueueEvent(int id, int queue) {}
