package dev.meshguard.example.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@TrackAllocations
@TrackCloseables({Connection.class, PreparedStatement.class, ResultSet.class, FileChannel.class})
class CustomersTests {

    @Test
    void closesItsConnection() throws SQLException {
        assertEquals(1, Customers.count());
    }

    @Test
    void closesItsChannel(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("customers"), new byte[] {7});

        assertEquals(7, Customers.firstByte(file));
    }
}
