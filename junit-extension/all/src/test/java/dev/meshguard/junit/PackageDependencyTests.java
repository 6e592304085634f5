package dev.meshguard.junit;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.library.dependencies.SliceRule;
import dev.meshguard.mesh.MeshDevice;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * The packages of all published modules depend on each other in one direction, inside modules too.
 *
 * <p>A package {@code X.internal.*} may use its face {@code X}, and {@code X} uses it.
 */
@TestInstance(Lifecycle.PER_CLASS) // The classes are read once and not kept.
class PackageDependencyTests {

    private final JavaClasses product = ProductClasses.read();

    private static final String INTERNAL = ".internal";

    private static final List<String> SEEN_BY_VERDICTS =
            List.of("dev.meshguard.event", "dev.meshguard.history", "dev.meshguard.file", "dev.meshguard.verdict");

    private static final Set<String> KEEPERS_OF_THREAD_STATE = Set.of(
            "dev.meshguard.junit.internal.thread.WorkingThread",
            "dev.meshguard.weave.ClosingCalls",
            "dev.meshguard.weave.Receivers");

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
    }

    /** So a verdict is a function of the history: no rule can ask the tracker or an object that holds a buffer. */
    @Test
    void verdictsSeeReportedValuesAndHistoriesOnly() {
        noClasses()
                .that()
                .resideInAPackage("dev.meshguard.verdict..")
                .should()
                .dependOnClassesThat(describe(
                        "other packages of MeshGuard",
                        type -> type.getPackageName().startsWith("dev.meshguard.")
                                && SEEN_BY_VERDICTS.stream().noneMatch(type.getPackageName()::startsWith)))
                .check(product);
    }

    /** Threads that outlive a test would keep it; what the classes that need them reach is cleared, or runs. */
    @Test
    void fewClassesKeepStateOfThreads() {
        noClasses()
                .that(describe(
                        "other classes",
                        type -> !KEEPERS_OF_THREAD_STATE.contains(
                                topLevelOf(type).getName())))
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .check(product);
    }

    @Test
    void onlyHandlesUseTheInternalsOfTheFakeMesh() {
        Set<String> users = product.stream()
                .filter(type -> !isInternalOf("dev.meshguard.mesh", type))
                .filter(type -> type.getDirectDependenciesFromSelf().stream()
                        .anyMatch(dependency -> isInternalOf("dev.meshguard.mesh", dependency.getTargetClass())))
                .map(PackageDependencyTests::topLevelOf)
                .map(JavaClass::getName)
                .collect(Collectors.toSet());

        assertThat(users)
                .containsExactlyInAnyOrderElementsOf(USERS_OF_MESH_INTERNALS.stream()
                        .map(handle -> "dev.meshguard.mesh." + handle)
                        .toList());
    }

    @Test
    void internalsOfTheFakeMeshSeeItsContextOnly() {
        noClasses()
                .that()
                .resideInAPackage("dev.meshguard.mesh.internal..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(MeshDevice.class)
                .check(product);
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
        return type.getEnclosingClass().map(PackageDependencyTests::topLevelOf).orElse(type);
    }
}
