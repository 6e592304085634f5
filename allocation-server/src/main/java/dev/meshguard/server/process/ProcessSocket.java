package dev.meshguard.server.process;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Where a program finds the server.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum ProcessSocket {
    /**
     * A socket of the program's own, which the environment variable {@value dev.meshguard.server.client.AllocationClient#SOCKET_VARIABLE} names. Any number of programs
     * run at the same time.
     */
    PRIVATE,
    /**
     * {@code /tmp/tt_allocation_server.sock}, for clients that know no other, as the field's library client does (the path is fixed in
     * its source). One program of the machine at a time: others of this user's tests wait for it, in other JVMs too.
     */
    DEFAULT_PATH
}
