package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The mapping of the pages of a sharded buffer to positions on cores.
 *
 * <p>Host pages are the pages of the buffer as its user counts them. Each core counts the pages of its shard from 0, row by
 * row. If the last shards of a buffer are partial, their remaining pages are padding.
 *
 * <p>Immutable and safe for use by several threads. Sources: {@code generate_buffer_page_mapping} in
 * {@code tt_metal/impl/buffers/buffer.cpp} and {@code tt_metal/impl/buffers/buffer_page_mapping.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class BufferPageMapping {

    private static final int PADDING = -1;

    private final List<CoreCoord> cores;
    /** The host page of each page of each core. */
    private final int[][] hostPages;

    private final List<MappedPage> pages = new ArrayList<>();
    private final Map<Integer, MappedPage> mappedPages = new HashMap<>();

    private BufferPageMapping(List<CoreCoord> cores, int[][] hostPages) {
        this.cores = cores;
        this.hostPages = hostPages;
        for (int core = 0; core < hostPages.length; core++) {
            for (int page = 0; page < hostPages[core].length; page++) {
                if (hostPages[core][page] != PADDING) {
                    pages.add(new MappedPage(cores.get(core), page, hostPages[core][page]));
                }
            }
        }
        pages.forEach(page -> mappedPages.put(page.hostPage(), page));
    }

    /**
     * Returns the mapping of a sharded buffer; one without content lies on no core.
     *
     * @throws MeshRuntimeException if the buffer is interleaved
     * @throws IllegalArgumentException if the buffer has more than {@link Integer#MAX_VALUE} pages
     */
    public static BufferPageMapping of(BufferConfig buffer) {
        ShardSpecBuffer shards = buffer.deviceLocal().requireShardSpec();
        if (buffer.size() == 0) {
            return new BufferPageMapping(List.of(), new int[0][]);
        }
        if (shards.tensor2dShapeInPages().volume() > Integer.MAX_VALUE || shards.numPages() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot map %s pages in shards of %s pages: there may be at most %d of each",
                    shards.tensor2dShapeInPages(),
                    shards.shapeInPages(),
                    Integer.MAX_VALUE));
        }
        List<CoreCoord> cores = shards.grid().cores(shards.orientation());
        int[][] hostPages = new int[cores.size()][];
        for (int shard = 0; shard < hostPages.length; shard++) {
            hostPages[shard] = buffer.layout() == TensorMemoryLayout.HEIGHT_SHARDED
                    ? runOfPages(shard, shards)
                    : rectangleOfPages(shard, shards);
        }
        return new BufferPageMapping(cores, hostPages);
    }

    /** Returns the cores in the order in which shards are dealt out to them. */
    public List<CoreCoord> cores() {
        return cores;
    }

    /** Returns every host page with its position, core by core, each core's pages in their order. */
    public List<MappedPage> pages() {
        return Collections.unmodifiableList(pages);
    }

    /** Returns the position of a host page; empty if it has none. */
    public Optional<MappedPage> mappedPageOf(int hostPage) {
        return Optional.ofNullable(mappedPages.get(hostPage));
    }

    /**
     * Returns the host page at a position; empty if the position is padding.
     *
     * @param core one of the cores
     * @param devicePage the number of the page on the core, from 0
     * @throws IllegalArgumentException if there is no such position
     */
    public OptionalInt hostPageAt(CoreCoord core, int devicePage) {
        int index = cores.indexOf(core);
        if (index < 0 || devicePage < 0 || devicePage >= hostPages[index].length) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "There is no page %d on core %s: the shards have %d pages each and lie on cores %s",
                    devicePage,
                    core,
                    hostPages.length == 0 ? 0 : hostPages[0].length,
                    cores));
        }
        int hostPage = hostPages[index][devicePage];
        return hostPage == PADDING ? OptionalInt.empty() : OptionalInt.of(hostPage);
    }

    /**
     * Returns the mapping of a view. Its pages are numbered from 0 and keep their positions.
     *
     * @param region the part of the buffer, in bytes
     * @param pageSize the bytes of a page, at least 1
     */
    public BufferPageMapping viewedThrough(BufferRegion region, long pageSize) {
        long first = region.offset() / pageSize;
        long end = first + region.size() / pageSize;
        int[][] filtered = new int[hostPages.length][];
        for (int core = 0; core < filtered.length; core++) {
            filtered[core] = Arrays.stream(hostPages[core])
                    .map(page -> first <= page && page < end ? (int) (page - first) : PADDING)
                    .toArray();
        }
        return new BufferPageMapping(cores, filtered);
    }

    /** Consecutive pages, in whole rows of the shard. */
    private static int[] runOfPages(int shard, ShardSpecBuffer shards) {
        int[] pages = padding(shards);
        long first = (long) shard * pages.length;
        long left = Math.max(0, shards.tensor2dShapeInPages().volume() - first);
        int width = shards.shapeInPages().width();
        int count = left >= pages.length ? pages.length : (int) (left / width * width);
        for (int page = 0; page < count; page++) {
            pages[page] = (int) first + page;
        }
        return pages;
    }

    /** The pages under one of the rectangles that are laid over the buffer side by side, row after row of rectangles. */
    private static int[] rectangleOfPages(int shard, ShardSpecBuffer shards) {
        Shape2D tensor = shards.tensor2dShapeInPages();
        Shape2D shape = shards.shapeInPages();
        int[] pages = padding(shards);
        if (pages.length == 0 || tensor.width() == 0) {
            return pages;
        }
        long shardsInRow = (tensor.width() + shape.width() - 1L) / shape.width();
        long firstRow = shard / shardsInRow * shape.height();
        long firstColumn = shard % shardsInRow * shape.width();
        for (int page = 0; page < pages.length; page++) {
            long row = firstRow + page / shape.width();
            long column = firstColumn + page % shape.width();
            if (row < tensor.height() && column < tensor.width()) {
                pages[page] = (int) (row * tensor.width() + column);
            }
        }
        return pages;
    }

    private static int[] padding(ShardSpecBuffer shards) {
        int[] pages = new int[(int) shards.numPages()];
        Arrays.fill(pages, PADDING);
        return pages;
    }

    /**
     * A page and its position.
     *
     * @param core the core
     * @param devicePage its number among the pages of the core
     * @param hostPage its number among the pages of the buffer
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public record MappedPage(CoreCoord core, int devicePage, int hostPage) {}
}
