package dev.meshguard.tracker;

import dev.meshguard.event.BufferType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Selects events that a tracker logs, with their origin, at the moment they happen.
 *
 * <p>A missing condition matches everything. In code:
 *
 * <pre>{@code
 * AllocationTracker.builder().watch(Watch.everything().device(0).type(BufferType.L1).size(4096))
 * }</pre>
 *
 * <p>As a system property, without changing the code: {@code -Dmeshguard.watch=device=0,type=L1,size=4096}. Separate
 * several watches by semicolons. Addresses may be decimal, or hexadecimal with {@code 0x}.
 *
 * @param device the device id
 * @param type the memory
 * @param size the size, in bytes; a free has the size of its buffer, and a free without a buffer matches any size
 * @param address the address
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Watch(OptionalInt device, Optional<BufferType> type, OptionalLong size, OptionalLong address) {

    /** The system property that adds watches to every tracker. */
    public static final String PROPERTY = "meshguard.watch";

    /** Returns a watch that matches every event. */
    public static Watch everything() {
        return new Watch(OptionalInt.empty(), Optional.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    /** Returns this watch for one device only. */
    public Watch device(int newDevice) {
        return new Watch(OptionalInt.of(newDevice), type, size, address);
    }

    /** Returns this watch for one memory only. */
    public Watch type(BufferType newType) {
        return new Watch(device, Optional.of(newType), size, address);
    }

    /** Returns this watch for one size only, in bytes. */
    public Watch size(long newSize) {
        return new Watch(device, type, OptionalLong.of(newSize), address);
    }

    /** Returns this watch for one address only. */
    public Watch address(long newAddress) {
        return new Watch(device, type, size, OptionalLong.of(newAddress));
    }

    /**
     * Parses watches as written in the system property; a blank text has none.
     *
     * @throws IllegalArgumentException if a condition is not one of device, type, size and address or has a wrong value
     */
    public static List<Watch> parse(String text) {
        List<Watch> watches = new ArrayList<>();
        for (String one : text.split(";", -1)) {
            if (!one.isBlank()) {
                Watch watch = everything();
                for (String condition : one.split(",", -1)) {
                    watch = watch.with(condition.strip());
                }
                watches.add(watch);
            }
        }
        return watches;
    }

    /** Returns the watches of the system property, in a modifiable list. */
    static List<Watch> ofProperty() {
        String text = System.getProperty(PROPERTY);
        return text == null || text.isEmpty() ? new ArrayList<>(0) : parse(text);
    }

    private Watch with(String condition) {
        int equals = condition.indexOf('=');
        String name = equals < 0 ? condition : condition.substring(0, equals).strip();
        String value = equals < 0 ? "" : condition.substring(equals + 1).strip();
        try {
            return switch (name) {
                case "device" -> device(Integer.parseInt(value));
                case "type" -> type(BufferType.valueOf(value.toUpperCase(Locale.ROOT)));
                case "size" -> size(number(value));
                case "address" -> address(number(value));
                default -> throw new IllegalArgumentException(name);
            };
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Cannot read \"%s\" as a watch. Write conditions as device=0, type=L1 (DRAM, L1, SYSTEM_MEMORY,"
                                    + " L1_SMALL or TRACE), size=4096 or address=0x18b20, separated by commas; separate"
                                    + " watches by semicolons.",
                            condition),
                    wrong);
        }
    }

    /** Parses a decimal number, or a hexadecimal one with {@code 0x}; leading zeros are ignored. */
    private static long number(String text) {
        return text.startsWith("0x") || text.startsWith("0X")
                ? Long.parseUnsignedLong(text.substring(2), 16)
                : Long.parseLong(text);
    }

    /** Returns whether an event matches; a size below 0 is unknown. */
    boolean fits(int eventDevice, BufferType eventType, long eventAddress, long eventSize) {
        return (device.isEmpty() || device.getAsInt() == eventDevice)
                && (type.isEmpty() || type.get() == eventType)
                && (address.isEmpty() || address.getAsLong() == eventAddress)
                && (size.isEmpty() || eventSize < 0 || size.getAsLong() == eventSize);
    }
}
