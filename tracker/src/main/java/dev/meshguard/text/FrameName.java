package dev.meshguard.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The name of a stack frame, without parts that a compiler, a runtime or a library numbered.
 *
 * <p>{@code dev.example.Model$1.lambda$load$3} is {@code dev.example.Model.lambda$load}: neither another lambda above
 * it nor another JDK changes that.
 *
 * @param packageName the package, empty if there is none
 * @param classes the top-level class and those nested in it, outermost first; at least one
 * @param method the method
 */
@API(status = Status.INTERNAL, since = "0.1")
public record FrameName(String packageName, List<String> classes, String method) {

    /** Matches the part of a name that a library appends to a user's class to name a generated one. */
    private static final Pattern GENERATED_FROM = Pattern.compile(
            "\\$\\$|\\$MockitoMock\\$|\\$ByteBuddy\\$|\\$HibernateProxy\\$" + "|_\\$\\$_jvst|\\$Proxy(?=\\$|$)|-CgLib");
    /** Matches generated classes, whose numbers have no meaning. */
    private static final Pattern PROXY =
            Pattern.compile("(?:com\\.sun\\.proxy|jdk\\.proxy\\d+)\\..*|(?:.*\\.)?\\$Proxy\\d+");

    private static final Pattern PROXY_NUMBER = Pattern.compile("(?<=\\$Proxy)\\d+");
    /** Frames that are specific to one JDK, library or launcher. */
    private static final List<String> FOREIGN = List.of(
            "java.",
            "javax.",
            "jdk.",
            "sun.",
            "com.sun.",
            "org.junit.",
            "org.apache.maven.surefire.",
            "org.mockito.",
            "net.bytebuddy.",
            "net.sf.cglib.",
            "org.springframework.cglib.",
            "org.springframework.aop.",
            "javassist.");

    private static final Pattern LAMBDA_METHOD = Pattern.compile("(?:lambda\\$)+(.+?)(?:\\$[0-9a-f]*)*");
    private static final Pattern ACCESSOR = Pattern.compile("access\\$\\d+|\\$\\$\\$reportNull\\$\\$\\$\\d+");
    private static final Pattern DIGITS = Pattern.compile("^\\d+");

    /** Creates a name with its own copy of the classes. */
    public FrameName {
        classes = List.copyOf(classes);
    }

    /** Returns the name of a frame, whatever its class is. */
    public static FrameName of(StackTraceElement frame) {
        String className = withoutHiddenNumber(frame.getClassName());
        int point = className.lastIndexOf('.');
        String packageName = point < 0 ? "" : className.substring(0, point);
        return new FrameName(packageName, classes(className.substring(point + 1)), method(frame.getMethodName()));
    }

    /**
     * Returns the name of a frame of user code; empty for frames of a JDK, a library or a compiler, because another
     * version may not have them.
     */
    public static Optional<FrameName> ofUser(StackTraceElement frame) {
        String className = frame.getClassName();
        boolean isForeign = FOREIGN.stream().anyMatch(className::startsWith)
                || PROXY.matcher(className).matches()
                || className.contains("$$Lambda")
                || className.contains("$$FastClassBy")
                || ACCESSOR.matcher(frame.getMethodName()).matches();
        return isForeign ? Optional.empty() : Optional.of(of(frame));
    }

    /** Returns a class without what is generated or counted in its name: of {@code Model$1} and {@code Model$$Lambda/0x71c3} {@code Model}. */
    public static String plainClass(String className) {
        String name = PROXY_NUMBER.matcher(withoutHiddenNumber(className)).replaceFirst("");
        int simple = name.lastIndexOf('.') + 1;
        return name.substring(0, simple) + String.join("$", classes(name.substring(simple)));
    }

    /** Returns the file and line of a frame, {@code KvCacheTest.java:41}, if it has them. */
    public static Optional<String> fileLine(StackTraceElement frame) {
        return frame.getFileName() != null && frame.getLineNumber() > 0
                ? Optional.of(frame.getFileName() + ":" + frame.getLineNumber())
                : Optional.empty();
    }

    /** Returns the package's parts, the classes and the {@linkplain #plainMethod() method}, in this order. */
    public List<String> segments() {
        List<String> segments = new ArrayList<>();
        if (!packageName.isEmpty()) {
            segments.addAll(List.of(packageName.split("\\.", -1)));
        }
        segments.addAll(classes);
        segments.add(plainMethod());
        return segments;
    }

    /** Returns the innermost class and the method, without package: {@code KvCacheTest.decode}. */
    public String description() {
        return simpleClassName() + '.' + plainMethod();
    }

    /** Returns the innermost class, without package: {@code KvCacheTest}. */
    public String simpleClassName() {
        return classes.get(classes.size() - 1);
    }

    /** Returns the method that contains a lambda, or the method itself. */
    public String plainMethod() {
        return method.startsWith("lambda$") ? method.substring("lambda$".length()) : method;
    }

    /** Returns the full name: {@code dev.example.Model$Layer.load}. */
    @Override
    public String toString() {
        String type = String.join("$", classes);
        return InvariantText.of("%s%s.%s", packageName.isEmpty() ? "" : packageName + '.', type, method);
    }

    /**
     * Removes the number of a hidden class, as in {@code Foo$$Lambda/0x000071c3} and the older
     * {@code Foo$$Lambda$14/0x0000000800c03000}.
     */
    private static String withoutHiddenNumber(String className) {
        int slash = className.indexOf('/');
        return slash < 0 ? className : className.substring(0, slash);
    }

    private static List<String> classes(String simpleName) {
        var generated = GENERATED_FROM.matcher(simpleName);
        String own =
                generated.find() && generated.start() > 0 ? simpleName.substring(0, generated.start()) : simpleName;
        List<String> classes = new ArrayList<>();
        for (String part : own.split("\\$", -1)) {
            String name = DIGITS.matcher(part).replaceFirst("");
            if (!name.isEmpty()) {
                classes.add(name);
            }
        }
        return classes.isEmpty() ? List.of(own) : classes;
    }

    private static String method(String name) {
        var lambda = LAMBDA_METHOD.matcher(name);
        return lambda.matches() ? "lambda$" + lambda.group(1) : name;
    }
}
