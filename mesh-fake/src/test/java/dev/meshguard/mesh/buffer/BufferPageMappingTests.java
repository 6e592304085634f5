package dev.meshguard.mesh.buffer;

import static dev.meshguard.mesh.buffer.ShardOrientation.COL_MAJOR;
import static dev.meshguard.mesh.buffer.ShardOrientation.ROW_MAJOR;
import static dev.meshguard.mesh.buffer.TensorMemoryLayout.BLOCK_SHARDED;
import static dev.meshguard.mesh.buffer.TensorMemoryLayout.HEIGHT_SHARDED;
import static dev.meshguard.mesh.buffer.TensorMemoryLayout.WIDTH_SHARDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferPageMapping.MappedPage;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BufferPageMappingTests {

    private static final CoreRange TWO_CORES = new CoreRange(0, 0, 0, 1);
    private static final CoreRange THREE_CORES = new CoreRange(0, 0, 2, 0);

    private static BufferPageMapping mapping(
            TensorMemoryLayout layout, CoreRange grid, ShardOrientation orientation, Shape2D shard, Shape2D pages) {
        ShardSpecBuffer shards =
                new ShardSpecBuffer(new ShardSpec(CoreRangeSet.of(grid), shard, orientation), new Shape2D(1, 1), pages);
        return BufferPageMapping.of(
                BufferConfig.of(BufferType.L1, pages.volume() * 64, 64).sharded(layout, shards));
    }

    /** One line for each core, such as {@code 0-0: 4 . 9 .}, with points for padding. */
    private static List<String> shards(BufferPageMapping mapping, int pagesPerCore) {
        return mapping.cores().stream()
                .map(core -> String.format(Locale.ROOT, "%s:", core)
                        + IntStream.range(0, pagesPerCore)
                                .mapToObj(page -> mapping.hostPageAt(core, page))
                                .map(page -> page.isPresent() ? " " + page.getAsInt() : " .")
                                .reduce("", String::concat))
                .toList();
    }

    /** {@code TestHeightShardReadWrite} and {@code TestWidthShardReadWrite} of {@code test_sharded_l1_buffer.cpp}. */
    @ParameterizedTest
    @CsvSource({"HEIGHT_SHARDED", "WIDTH_SHARDED"})
    void dealsShardsOfTwoByTwoTilesOutToTwoCores(TensorMemoryLayout layout) {
        BufferPageMapping mapping = mapping(layout, TWO_CORES, ROW_MAJOR, new Shape2D(2, 2), new Shape2D(8, 2));

        assertThat(shards(mapping, 4)).containsExactly("0-0: 0 1 2 3", "0-1: 4 5 6 7");
    }

    /** {@code TestUnorderedHeightShardReadWrite} of {@code test_sharded_l1_buffer.cpp}. */
    @Test
    void followsTheOrderOfTheCoresWhateverThatIs() {
        List<CoreCoord> cores =
                List.of(new CoreCoord(1, 0), new CoreCoord(1, 3), new CoreCoord(6, 6), new CoreCoord(5, 0));
        CoreRangeSet grid = new CoreRangeSet(cores.stream().map(CoreRange::of).toList());
        BufferConfig buffer = BufferConfig.of(BufferType.L1, 4 * 4_096, 4_096).heightSharded(grid);

        BufferPageMapping mapping = BufferPageMapping.of(buffer);

        assertThat(mapping.pages())
                .containsExactly(
                        new MappedPage(cores.get(0), 0, 0),
                        new MappedPage(cores.get(1), 0, 1),
                        new MappedPage(cores.get(2), 0, 2),
                        new MappedPage(cores.get(3), 0, 3));
    }

    /** {@code DeviceLocalMeshBufferShardingTest} of {@code tests/tt_metal/distributed/test_mesh_buffer.cpp}. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, HEIGHT_SHARDED",
        "1, 1, WIDTH_SHARDED",
        "1, 1, BLOCK_SHARDED",
        "3, 137, HEIGHT_SHARDED",
        "3, 137, WIDTH_SHARDED",
        "3, 137, BLOCK_SHARDED",
        "67, 4, HEIGHT_SHARDED",
        "67, 4, WIDTH_SHARDED",
        "67, 4, BLOCK_SHARDED",
        "7, 11, HEIGHT_SHARDED",
        "7, 11, WIDTH_SHARDED",
        "7, 11, BLOCK_SHARDED",
        "2, 2, HEIGHT_SHARDED",
        "2, 2, WIDTH_SHARDED",
        "2, 2, BLOCK_SHARDED"
    })
    void givesEveryPageOneOfTheCoresWhereShardsFillTheGrid(int height, int width, TensorMemoryLayout layout) {
        Shape2D pages = new Shape2D(height * 8, width * 8);

        BufferPageMapping mapping =
                mapping(layout, new CoreRange(0, 0, 7, 7), ROW_MAJOR, new Shape2D(height, width), pages);

        int numPages = (int) pages.volume();
        assertThat(mapping.pages()).hasSize(numPages);
        assertThat(IntStream.range(0, numPages))
                .allMatch(page -> mapping.mappedPageOf(page).isPresent());
    }

    @Test
    void fillsTheLastShardOfRowsUpWithPadding() {
        BufferPageMapping mapping =
                mapping(HEIGHT_SHARDED, THREE_CORES, ROW_MAJOR, new Shape2D(2, 2), new Shape2D(5, 2));

        assertThat(shards(mapping, 4)).containsExactly("0-0: 0 1 2 3", "1-0: 4 5 6 7", "2-0: 8 9 . .");
    }

    @Test
    void leavesCoresEmptyThatNoPageIsLeftFor() {
        BufferPageMapping mapping =
                mapping(HEIGHT_SHARDED, THREE_CORES, ROW_MAJOR, new Shape2D(2, 1), new Shape2D(2, 1));

        assertThat(shards(mapping, 2)).containsExactly("0-0: 0 1", "1-0: . .", "2-0: . .");
    }

    @Test
    void givesOnlyWholeRowsOfAShardToTheLastCoreAsTheRuntimeDoes() {
        BufferPageMapping mapping = mapping(HEIGHT_SHARDED, TWO_CORES, ROW_MAJOR, new Shape2D(2, 2), new Shape2D(7, 1));

        assertThat(shards(mapping, 4)).containsExactly("0-0: 0 1 2 3", "0-1: 4 5 . .");
        assertThat(mapping.mappedPageOf(6)).isEmpty();
    }

    @Test
    void fillsTheLastShardOfColumnsUpWithPadding() {
        BufferPageMapping mapping =
                mapping(WIDTH_SHARDED, THREE_CORES, ROW_MAJOR, new Shape2D(2, 2), new Shape2D(2, 5));

        assertThat(shards(mapping, 4)).containsExactly("0-0: 0 1 5 6", "1-0: 2 3 7 8", "2-0: 4 . 9 .");
    }

    @Test
    void dealsBlocksOutRowByRowOfBlocks() {
        BufferPageMapping mapping =
                mapping(BLOCK_SHARDED, new CoreRange(0, 0, 1, 1), ROW_MAJOR, new Shape2D(2, 2), new Shape2D(3, 3));

        assertThat(shards(mapping, 4)).containsExactly("0-0: 0 1 3 4", "1-0: 2 . 5 .", "0-1: 6 7 . .", "1-1: 8 . . .");
    }

    @Test
    void dealsBlocksOutToColumnsOfCoresIfAsked() {
        BufferPageMapping mapping =
                mapping(BLOCK_SHARDED, new CoreRange(0, 0, 1, 1), COL_MAJOR, new Shape2D(2, 2), new Shape2D(3, 3));

        assertThat(shards(mapping, 4)).containsExactly("0-0: 0 1 3 4", "0-1: 2 . 5 .", "1-0: 6 7 . .", "1-1: 8 . . .");
    }

    @Test
    void findsAPageOnItsCoreAndBack() {
        BufferPageMapping mapping =
                mapping(WIDTH_SHARDED, THREE_CORES, ROW_MAJOR, new Shape2D(2, 2), new Shape2D(2, 5));

        assertThat(mapping.mappedPageOf(9)).contains(new MappedPage(new CoreCoord(2, 0), 2, 9));
        assertThat(mapping.hostPageAt(new CoreCoord(2, 0), 2)).hasValue(9);
        assertThat(mapping.hostPageAt(new CoreCoord(2, 0), 3)).isEqualTo(OptionalInt.empty());
        assertThat(mapping.mappedPageOf(10)).isEmpty();
    }

    @Test
    void countsThePagesOfAViewAnewButLeavesThemWhereTheyAre() {
        BufferPageMapping mapping =
                mapping(WIDTH_SHARDED, THREE_CORES, ROW_MAJOR, new Shape2D(2, 2), new Shape2D(2, 5));

        BufferPageMapping view = mapping.viewedThrough(new BufferRegion(4 * 64, 3 * 64), 64);

        assertThat(shards(view, 4)).containsExactly("0-0: . . 1 2", "1-0: . . . .", "2-0: 0 . . .");
        assertThat(view.mappedPageOf(1)).contains(new MappedPage(new CoreCoord(0, 0), 2, 1));
        assertThat(view.mappedPageOf(3)).isEmpty();
    }

    @Test
    void isEmptyForABufferWithoutContent() {
        BufferConfig empty = BufferConfig.of(BufferType.L1, 0, 64).heightSharded(CoreRangeSet.of(THREE_CORES));

        assertThat(BufferPageMapping.of(empty).cores()).isEmpty();
        assertThat(BufferPageMapping.of(empty).pages()).isEmpty();
    }

    @Test
    void existsOnlyForShardedBuffers() {
        assertThatThrownBy(() -> BufferPageMapping.of(BufferConfig.of(BufferType.L1, 64, 64)))
                .isInstanceOf(MeshRuntimeException.class)
                .hasMessage("Buffer not sharded");
    }

    @Test
    void hasNoPagesOnOtherCores() {
        BufferPageMapping mapping = mapping(HEIGHT_SHARDED, TWO_CORES, ROW_MAJOR, new Shape2D(2, 1), new Shape2D(4, 1));

        assertThatThrownBy(() -> mapping.hostPageAt(new CoreCoord(1, 0), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("There is no page 0 on core 1-0: the shards have 2 pages each and lie on cores [0-0, 0-1]");
        assertThatThrownBy(() -> mapping.hostPageAt(new CoreCoord(0, 1), 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("There is no page 2 on core 0-1: the shards have 2 pages each and lie on cores [0-0, 0-1]");
    }
}
