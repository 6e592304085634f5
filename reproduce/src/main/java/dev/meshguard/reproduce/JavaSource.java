package dev.meshguard.reproduce;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The source of one class: its lines and imports. */
final class JavaSource {

    private static final int WIDTH = 120;
    private static final String INDENT = "    ";

    private final TreeSet<String> statics = new TreeSet<>();
    private final TreeSet<String> imports = new TreeSet<>();
    private final List<String> lines = new ArrayList<>();
    private int depth;

    /** Returns the simple name of a type, and imports it. */
    String use(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        if (outer != null) {
            return use(outer) + "." + type.getSimpleName();
        }
        return use(type.getName());
    }

    /** Returns the simple name of a type of another module, and imports it. */
    String use(String type) {
        imports.add(type);
        return type.substring(type.lastIndexOf('.') + 1);
    }

    /** Returns the name of a constant, and imports it. */
    String use(Enum<?> constant) {
        statics.add(constant.getDeclaringClass().getCanonicalName() + "." + constant.name());
        return constant.name();
    }

    /** Returns the name of a static method, and imports it. */
    String useStatic(String method) {
        statics.add(method);
        return method.substring(method.lastIndexOf('.') + 1);
    }

    JavaSource blank() {
        lines.add("");
        return this;
    }

    /** Adds a line; one that is too long is wrapped after the last comma or before the last call that fits. */
    JavaSource line(String line) {
        String rest = INDENT.repeat(depth) + line;
        String deeper = INDENT.repeat(depth + 2);
        while (rest.length() > WIDTH) {
            int cut = cut(rest, deeper.length());
            if (cut < 0) {
                break;
            }
            lines.add(rest.substring(0, cut).stripTrailing());
            rest = deeper + rest.substring(cut).stripLeading();
        }
        lines.add(rest);
        return this;
    }

    /** Adds a comment with the given paragraphs. */
    JavaSource comment(List<String> paragraphs) {
        String begin = INDENT.repeat(depth) + " * ";
        lines.add(INDENT.repeat(depth) + "/**");
        for (String paragraph : paragraphs) {
            boolean isFirst = lines.get(lines.size() - 1).endsWith("/**");
            if (!isFirst) {
                lines.add(begin.stripTrailing());
            }
            StringBuilder line = new StringBuilder(begin).append(isFirst ? "" : "<p>");
            for (String word : paragraph.split(" ", -1)) {
                if (line.length() + word.length() > WIDTH && line.length() > begin.length()) {
                    lines.add(line.toString().stripTrailing());
                    line.setLength(0);
                    line.append(begin);
                }
                line.append(word).append(' ');
            }
            lines.add(line.toString().stripTrailing());
        }
        lines.add(begin.stripTrailing().replace("*", "*/"));
        return this;
    }

    JavaSource open(String line) {
        line(line + " {");
        depth++;
        return this;
    }

    JavaSource close() {
        depth--;
        return line("}");
    }

    /** Returns the content of the file. */
    String text(String packageName) {
        Stream<String> head = packageName.isEmpty() ? Stream.of() : Stream.of("package " + packageName + ";", "");
        return Stream.of(
                        head,
                        statics.stream().map(name -> "import static " + name + ";"),
                        statics.isEmpty() ? Stream.<String>of() : Stream.of(""),
                        imports.stream().map(name -> "import " + name + ";"),
                        Stream.of(""),
                        lines.stream())
                .flatMap(part -> part)
                .collect(StringBuilder::new, (text, next) -> text.append(next).append('\n'), StringBuilder::append)
                .toString();
    }

    /**
     * Returns the position at which a line may be wrapped: after a comma or before the point of a call, outside of
     * literals.
     */
    private static int cut(String line, int indent) {
        int cut = -1;
        boolean inText = false;
        for (int i = 0; i < WIDTH && i < line.length(); i++) {
            char character = line.charAt(i);
            if (character == '\\' && inText) {
                i++;
            } else if (character == '"') {
                inText = !inText;
            } else if (!inText && i > indent + 8) {
                if (character == ',') {
                    cut = i + 1;
                } else if (character == '.' && line.charAt(i - 1) == ')') {
                    cut = i;
                }
            }
        }
        return cut;
    }
}
