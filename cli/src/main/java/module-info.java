/** The command line. */
module dev.meshguard.cli {
    requires com.fasterxml.jackson.core;
    requires dev.meshguard.report;
    requires dev.meshguard.server;
    requires dev.meshguard.tracker;
    requires info.picocli;
    requires static org.jspecify;

    // Picocli fills in the options.
    opens dev.meshguard.cli to
            info.picocli;
}
