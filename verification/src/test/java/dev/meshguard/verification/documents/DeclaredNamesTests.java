package dev.meshguard.verification.documents;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.element.Name;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Names are the field's, JUnit's or the JDK's, and each of a type is unique. */
class DeclaredNamesTests {

    private static final Pattern CAMEL_CASE = Pattern.compile("_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

    /** The words, each with the word of the field, of JUnit or of the JDK that replaced it. */
    private static final Map<String, String> REPLACED = Map.ofEntries(
            Map.entry("told", "reported"),
            Map.entry("tell", "report, describe"),
            Map.entry("tells", "reports, describes"),
            Map.entry("heard", "received"),
            Map.entry("hear", "receive"),
            Map.entry("lent", "allocated"),
            Map.entry("lend", "allocate"),
            Map.entry("lends", "allocates"),
            Map.entry("lender", "allocator"),
            Map.entry("gift", "injectable"),
            Map.entry("gifts", "injectable types"),
            Map.entry("sought", "lazy"),
            Map.entry("tenant", "context"),
            Map.entry("tenants", "contexts"),
            Map.entry("standpoint", "status"),
            Map.entry("testimony", "address state"),
            Map.entry("testify", "state of"),
            Map.entry("conspicuous", "anomaly"),
            Map.entry("leftovers", "retained"),
            Map.entry("footprints", "devices by request"),
            Map.entry("stretch", "phase usage"),
            Map.entry("stretches", "phase usages"),
            Map.entry("doubt", "reason"),
            Map.entry("patience", "timeout"),
            Map.entry("overrun", "violation"));

    @Test
    void useNoReplacedWord() throws IOException {
        Map<String, Set<String>> found = new TreeMap<>();

        for (CompilationUnitTree unit : parsed()) {
            new OldWordFinder(found).scan(unit, null);
        }

        assertThat(found)
                .as("declarations by the old word in them; the words to use are those of REPLACED")
                .isEmpty();
    }

    @Test
    void nameOneTopLevelTypeEach() throws IOException {
        Map<String, List<Path>> byName = sources().stream()
                .filter(source -> !source.endsWith("package-info.java") && !source.endsWith("module-info.java"))
                .filter(source -> source.toString().contains("/java/"))
                .collect(Collectors.groupingBy(source -> source.getFileName().toString()));

        byName.values().removeIf(sources -> sources.size() == 1);

        assertThat(byName).isEmpty();
    }

    private static Iterable<? extends CompilationUnitTree> parsed() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<CompilationUnitTree> units = new ArrayList<>();
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, problem -> {}, null, null, files.getJavaFileObjectsFromPaths(sources()));
            task.parse().forEach(units::add);
            return units;
        }
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        List<Path> folders = new ArrayList<>(DocumentationPage.modules());
        folders.add(DocumentationPage.ROOT.resolve("example"));
        for (Path folder : folders) {
            sources.addAll(DocumentationPage.sources(folder.resolve("src")));
        }
        assertThat(sources).hasSizeGreaterThan(1_000);
        return sources;
    }

    /** Collects the declarations that use an old word. */
    private static final class OldWordFinder extends TreePathScanner<Void, Void> {

        private final Map<String, Set<String>> found;

        OldWordFinder(Map<String, Set<String>> found) {
            this.found = found;
        }

        @Override
        public Void visitClass(ClassTree type, Void unused) {
            check(type.getSimpleName());
            return super.visitClass(type, null);
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            check(method.getName());
            return super.visitMethod(method, null);
        }

        @Override
        public Void visitVariable(VariableTree variable, Void unused) {
            Tree parent = getCurrentPath().getParentPath().getLeaf();
            if (parent instanceof ClassTree) {
                check(variable.getName());
            }
            return super.visitVariable(variable, null);
        }

        private void check(Name name) {
            CAMEL_CASE
                    .splitAsStream(name)
                    .map(word -> word.toLowerCase(Locale.ROOT))
                    .filter(REPLACED::containsKey)
                    .forEach(old ->
                            found.computeIfAbsent(old, first -> new TreeSet<>()).add(name.toString()));
        }
    }
}
