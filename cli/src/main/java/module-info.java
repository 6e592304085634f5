/** The command line. */
module dev.meshguard.cli {
    requires com.fasterxml.jackson.core;
    requires dev.meshguard.capture;
    requires dev.meshguard.page;
    requires dev.meshguard.report;
    requires dev.meshguard.server;
    requires dev.meshguard.tracker;
    requires info.picocli;
    requires static org.jspecify;

    // Picocli sets the option fields.
    opens dev.meshguard.cli to
            info.picocli;
}
