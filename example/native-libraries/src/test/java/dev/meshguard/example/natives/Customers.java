package dev.meshguard.example.natives;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Customers in a table of H2 and in a file. */
final class Customers {

    private static final String QUERY = "select count(*) from information_schema.users";

    private Customers() {}

    static int countAndForget() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
        ResultSet count = connection.prepareStatement(QUERY).executeQuery();
        count.next();
        return count.getInt(1);
    }

    static int count() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
                PreparedStatement query = connection.prepareStatement(QUERY);
                ResultSet count = query.executeQuery()) {
            count.next();
            return count.getInt(1);
        }
    }

    static int firstByteAndForget(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file);
        return firstByte(channel);
    }

    static int firstByte(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            return firstByte(channel);
        }
    }

    private static int firstByte(FileChannel channel) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        channel.read(one);
        return one.get(0);
    }
}
