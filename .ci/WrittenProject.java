import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the project that a page shows: its whole POM, and each of its blocks of Java.
 *
 * <p>Run as {@code java WrittenProject.java README.md FOLDER}.
 */
final class WrittenProject {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(java|xml)\n(.*?)^```$");
    private static final Pattern TYPE = Pattern.compile("(?m)^(?:final )?class (\\w+)");

    public static void main(String[] arguments) throws IOException {
        String page = Files.readString(Path.of(arguments[0]));
        Path folder = Path.of(arguments[1]);
        Path tests = Files.createDirectories(folder.resolve("src/test/java"));
        int poms = 0;
        int classes = 0;
        for (Matcher block = BLOCK.matcher(page); block.find(); ) {
            String text = block.group(2);
            if (block.group(1).equals("java")) {
                Files.writeString(tests.resolve(typeIn(text) + ".java"), text);
                classes++;
            } else if (text.startsWith("<project")) {
                Files.writeString(folder.resolve("pom.xml"), text);
                poms++;
            }
        }
        if (poms != 1 || classes == 0) {
            throw new IllegalStateException(
                    arguments[0] + " has " + poms + " whole POMs and " + classes + " blocks of Java; 1 POM and some Java are needed.");
        }
    }

    private static String typeIn(String text) {
        Matcher type = TYPE.matcher(text);
        if (!type.find()) {
            throw new IllegalStateException("A block of Java declares no class:\n" + text);
        }
        return type.group(1);
    }
}
