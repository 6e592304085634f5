package dev.meshguard.server.process;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Selects the socket on which a started program finds the server: one of its own, or the one with the fixed path.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum ProcessSocket {
    /**
     * A socket of the program's own, named by the environment variable
     * {@value dev.meshguard.server.client.AllocationClient#SOCKET_VARIABLE}. Any number of programs can run
     * concurrently.
     */
    PRIVATE,
    /**
     * {@code /tmp/tt_allocation_server.sock}, for clients with a fixed path, such as tt-metal's library client (the
     * path is fixed in its source). Only one program on the machine at a time: other tests of this user wait for it, in
     * other JVMs too.
     */
    DEFAULT_PATH
}
