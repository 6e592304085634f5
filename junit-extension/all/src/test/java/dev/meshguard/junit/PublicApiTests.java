package dev.meshguard.junit;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SliceRule;
import dev.meshguard.mesh.MeshDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The project's rules for public API and for the dependencies of packages, over all published modules. */
@TestInstance(Lifecycle.PER_CLASS) // The classes are read once and not kept.
class PublicApiTests {

    private final JavaClasses product = ProductClasses.read();

    /** The packages allowed in a public signature, in addition to the project's own. */
    private static final List<String> KNOWN = List.of(
            "java.",
            "dev.meshguard.",
            "org.assertj.core.",
            "org.junit.jupiter.",
            "org.junit.platform.",
            "org.opentest4j.",
            "org.slf4j.");

    /** The packages of libraries, by the package of their adapter. */
    private static final Map<String, String> ADAPTED = Map.of(
            "dev.meshguard.arrow", "org.apache.arrow.",
            "dev.meshguard.mockito", "org.mockito.",
            "dev.meshguard.netty", "io.netty.");

    private static final DescribedPredicate<JavaClass> PUBLIC =
            describe("public outside internal packages", PublicApiTests::isApi);

    @Test
    void allModulesAreLookedAt() {
        Set<String> packages = product.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());

        assertThat(packages)
                .contains(
                        "dev.meshguard.event",
                        "dev.meshguard.tracker",
                        "dev.meshguard.verdict",
                        "dev.meshguard.mesh",
                        "dev.meshguard.report",
                        "dev.meshguard.page",
                        "dev.meshguard.capture",
                        "dev.meshguard.assertions",
                        "dev.meshguard.arrow",
                        "dev.meshguard.closeables",
                        "dev.meshguard.netty",
                        "dev.meshguard.mockito",
                        "dev.meshguard.server.log",
                        "dev.meshguard.junit.summary",
                        "dev.meshguard.junit");
    }

    @Test
    void nothingIsOpenForExtensionThatIsNotMadeForIt() {
        classes()
                .that(PUBLIC)
                .should(ArchCondition.from(describe(
                        "be final, sealed, an interface, an enum, a record or an annotation, or an exception",
                        PublicApiTests::isClosed)))
                .check(product);
    }

    @Test
    void signaturesNameNoThirdPartyTypes() {
        classes().that(PUBLIC).should(nameKnownTypesOnly()).check(product);
    }

    @Test
    void mockitoIsKnownToItsAdapterOnly() {
        assertNoUse(
                resideOutsideOfPackage("dev.meshguard.mockito.."),
                resideInAnyPackage("org.mockito..", "dev.meshguard.mockito.."));
    }

    @Test
    void everyPublicTypeSaysHowStableItIs() {
        classes()
                .that(PUBLIC)
                .and()
                .areTopLevelClasses()
                .should()
                .beAnnotatedWith(API.class)
                .check(product);
    }

    @Test
    void everyPackageSaysThatNothingIsNull() {
        assertThat(product.stream()
                        .filter(type -> !type.getSimpleName().equals("module-info"))
                        .map(JavaClass::getPackage)
                        .distinct())
                .isNotEmpty()
                .allSatisfy(one -> assertThat(one.isAnnotatedWith(NullMarked.class))
                        .as(one.getName())
                        .isTrue());
    }

    @Test
    void packagesDependOnEachOtherInOneDirection() {
        slices().matching("dev.meshguard.(*)..").should().beFreeOfCycles().check(product);
    }

    @Test
    void theCoreOfTheExtensionKnowsNoSource() {
        assertNoUse(
                resideInAPackage("dev.meshguard.junit..")
                        .and(resideOutsideOfPackages("dev.meshguard.junit.mesh..", "dev.meshguard.junit.processes..")),
                resideInAnyPackage(
                        "dev.meshguard.capture..",
                        "dev.meshguard.mesh..",
                        "dev.meshguard.server..",
                        "dev.meshguard.junit.mesh..",
                        "dev.meshguard.junit.processes.."));
    }

    @Test
    void settingsAreReadBeforeASessionBeginsAndChecksComeLast() {
        String internal = "dev.meshguard.junit.internal.";
        assertNoUse(
                resideInAPackage(internal + "config"), resideInAnyPackage(internal + "session", internal + "check"));
        assertNoUse(resideInAPackage(internal + "session"), resideInAPackage(internal + "check"));
    }

    /** Woven code of any class loader finds its receivers in one field, of a copy of this class in {@code java.lang}. */
    @Test
    void nothingIsKeptInStatics() {
        noFields()
                .that()
                .areStatic()
                .and()
                .areNotDeclaredIn("dev.meshguard.weave.WovenCalls")
                .should()
                .notBeFinal()
                .check(product);
    }

    private static boolean isApi(JavaClass type) {
        boolean visible = type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(PublicApiTests::isApi).orElse(true);
        return visible
                && !type.getPackageName().contains(".internal")
                && !type.getPackageName().equals("dev.meshguard.assertions.error")
                && !type.getPackageName().contains(".testkit")
                && !type.isAnonymousClass();
    }

    private static boolean isClosed(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.FINAL)
                || type.isInterface()
                || type.isEnum()
                || type.isAssignableTo(Throwable.class)
                || type.reflect().isSealed();
    }

    private void assertNoUse(DescribedPredicate<JavaClass> users, DescribedPredicate<JavaClass> used) {
        noClasses().that(users).should().dependOnClassesThat(used).check(product);
    }

    private static ArchCondition<JavaClass> nameKnownTypesOnly() {
        return new ArchCondition<>("name types of " + KNOWN + " only") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getCodeUnits().stream()
                        .filter(unit -> unit.getModifiers().contains(JavaModifier.PUBLIC)
                                || unit.getModifiers().contains(JavaModifier.PROTECTED))
                        .forEach(unit -> unknownIn(unit)
                                .filter(unknown -> !isAdapted(type, unknown))
                                .forEach(unknown -> events.add(SimpleConditionEvent.violated(
                                        unit, unit.getFullName() + " names " + unknown.getName()))));
            }
        };
    }

    /** An adapter is created from the adapted object. */
    private static boolean isAdapted(JavaClass type, JavaClass unknown) {
        return Optional.ofNullable(ADAPTED.get(type.getPackageName()))
                .filter(library -> unknown.getName().startsWith(library))
                .isPresent();
    }

    private static Stream<JavaClass> unknownIn(JavaCodeUnit unit) {
        return Stream.of(
                        unit.getReturnType().getAllInvolvedRawTypes().stream(),
                        unit.getParameterTypes().stream()
                                .flatMap(parameter -> parameter.getAllInvolvedRawTypes().stream()),
                        unit.getThrowsClause().getTypes().stream())
                .flatMap(types -> types)
                .map(JavaClass::getBaseComponentType)
                .filter(type -> !type.isPrimitive()
                        && KNOWN.stream().noneMatch(known -> type.getName().startsWith(known)));
    }

    // The packages depend on each other in one direction, inside modules too. A package X.internal.* may use its face
    // X, and X uses it. Together they are a room, and rooms depend on each other in one direction too.

    private static final String INTERNAL = ".internal";

    /** A package with its internal ones: two rooms that need each other would be one. */
    private static final SliceAssignment ROOMS = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName().replaceFirst("\\.internal(\\..*)?$", ""));
        }

        @Override
        public String getDescription() {
            return "packages with their internal ones";
        }
    };

    private static final String[] SEEN_BY_VERDICTS = {
        "dev.meshguard.event..",
        "dev.meshguard.history..",
        "dev.meshguard.file..",
        "dev.meshguard.text..",
        "dev.meshguard.verdict.."
    };

    private static final Set<String> KEEPERS_OF_THREAD_STATE =
            Set.of("dev.meshguard.junit.internal.thread.WorkingThread", "dev.meshguard.weave.Receivers");

    /** The handles of the fake mesh that have memory, and their helpers. */
    private static final Set<String> USERS_OF_MESH_INTERNALS = Set.of(
            "Buffer",
            "CircularBuffer",
            "GlobalSemaphore",
            "MeshBuffer",
            "MeshCommandQueue",
            "MeshDevice",
            "MeshWorkload",
            "OpenMeshes",
            "Operations",
            "Program",
            "ProgramCache",
            "Tensor",
            "Ttnn");

    @Test
    void packagesHaveNoCycles() {
        SliceRule rule = slices().matching("dev.meshguard.(**)").should().beFreeOfCycles();
        for (String face : faces()) {
            rule = rule.ignoreDependency(
                    describe("internals of " + face, type -> isInternalOf(face, type)), resideInAPackage(face));
        }
        rule.check(product);
        slices().assignedFrom(ROOMS).should().beFreeOfCycles().check(product);
    }

    /** So a verdict is a function of the history: no rule can ask the tracker or an object that holds a buffer. */
    @Test
    void verdictsSeeReportedValuesAndHistoriesOnly() {
        assertNoUse(
                resideInAPackage("dev.meshguard.verdict.."),
                resideInAPackage("dev.meshguard..").and(not(resideInAnyPackage(SEEN_BY_VERDICTS))));
    }

    /** Threads that outlive a test would keep it; what the classes that need them reach is cleared, or runs. */
    @Test
    void fewClassesKeepStateOfThreads() {
        assertNoUse(
                describe(
                        "other classes",
                        type -> !KEEPERS_OF_THREAD_STATE.contains(
                                topLevelOf(type).getName())),
                assignableTo(ThreadLocal.class));
    }

    @Test
    void onlyHandlesUseTheInternalsOfTheFakeMesh() {
        Set<String> users = product.stream()
                .filter(type -> !isInternalOf("dev.meshguard.mesh", type))
                .filter(type -> type.getDirectDependenciesFromSelf().stream()
                        .anyMatch(dependency -> isInternalOf("dev.meshguard.mesh", dependency.getTargetClass())))
                .map(PublicApiTests::topLevelOf)
                .map(JavaClass::getName)
                .collect(Collectors.toSet());

        assertThat(users)
                .containsExactlyInAnyOrderElementsOf(USERS_OF_MESH_INTERNALS.stream()
                        .map(handle -> "dev.meshguard.mesh." + handle)
                        .toList());
    }

    @Test
    void internalsOfTheFakeMeshSeeItsContextOnly() {
        assertNoUse(resideInAPackage("dev.meshguard.mesh.internal.."), assignableTo(MeshDevice.class));
    }

    /** Returns the packages that have internal ones. */
    private Set<String> faces() {
        return product.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> (name + ".").contains(INTERNAL + "."))
                .map(name -> name.substring(0, (name + ".").lastIndexOf(INTERNAL + ".")))
                .collect(Collectors.toSet());
    }

    private static boolean isInternalOf(String face, JavaClass type) {
        return (type.getPackageName() + ".").startsWith(face + INTERNAL + ".");
    }

    private static JavaClass topLevelOf(JavaClass type) {
        return type.getEnclosingClass().map(PublicApiTests::topLevelOf).orElse(type);
    }
}
