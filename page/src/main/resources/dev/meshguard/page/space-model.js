"use strict";

/**
 * Computes the address space of the allocators at an event: blocks, holes, free bytes and the largest free block. All banks of a memory have
 * the same blocks, because a buffer occupies the same address in each of them, so one bank stands for all.
 */
const SpaceModel = (() => {
    const create = (data) => {
        const { lane, from, to, address, perBank, allocator, kind, size } = data.rectangles;
        const circular = data.strings.indexOf("CIRCULAR_BUFFER");
        const isWhole = data.aggregated.rectangles.shown === data.aggregated.rectangles.of;
        const nameOf = (position) => (position < 0 ? undefined : data.strings[position]);
        const subDevices = new Set(lane.filter((_, index) => (nameOf(allocator[index]) || "").startsWith("sub-device")));

        /** Each memory of a device, once for each of its allocators: two allocators may reserve the same address. */
        const memories = new Map();
        for (let index = 0; index < lane.length; index++) {
            // Circular buffers lie in no allocator, and memory without a device has no address.
            if (kind[index] !== circular && data.lanes[lane[index]].device >= 0) {
                const key = lane[index] * 100_000 + allocator[index] + 1;
                if (!memories.has(key)) {
                    memories.set(key, { lane: lane[index], device: data.lanes[lane[index]].device, type: data.lanes[lane[index]].type, allocator: nameOf(allocator[index]), members: [] });
                }
                memories.get(key).members.push(index);
            }
        }
        const all = [...memories.values()].sort((one, other) => one.lane - other.lane);

        const live = (members, event) => members.filter((index) => from[index] <= event && (to[index] < 0 || to[index] > event));

        /** Why the free bytes of a memory are unknown, or nothing. */
        const unknown = (memory, blocks, spans) => {
            const { capacity } = data.lanes[memory.lane];
            if (!isWhole) {
                return "this page omits some freed buffers, so free bytes are unknown";
            }
            if (blocks.some((index) => perBank[index] < 0)) {
                return "the source does not report the bytes in each bank, so used and free bytes are unknown";
            }
            if (!capacity) {
                return "the source does not report the capacity, so free bytes and the largest free block are unknown";
            }
            if (subDevices.has(memory.lane)) {
                return "sub-devices divide this memory, so the capacity of each allocator is unknown";
            }
            const isOutside = capacity.base !== undefined && spans.some(([start, end]) => start < capacity.base || end > capacity.base + capacity.bytesPerBank);
            return isOutside ? "a block lies outside of the reported memory, so free bytes are unknown" : undefined;
        };

        const bank = (memory, event) => {
            const blocks = live(memory.members, event).sort((one, other) => address[one] - address[other] || perBank[other] - perBank[one]);
            const { spans, overlaps } = Spans.joined(blocks.map((index) => [address[index], address[index] + Math.max(0, perBank[index])]));
            const used = Spans.total(spans);
            const why = unknown(memory, blocks, spans);
            const capacity = why === undefined ? data.lanes[memory.lane].capacity : undefined;
            const base = capacity?.base;
            const end = base === undefined ? undefined : base + capacity.bytesPerBank;
            const holes = Spans.holes(spans, base, end);
            const free = capacity && Math.max(0, capacity.bytesPerBank - used);
            const between = Spans.largest(holes);
            const outer = capacity && base === undefined ? free - Spans.total(holes) : 0;
            // Without the lowest address it is unknown how the free bytes around the blocks are divided.
            const largest = capacity && (base !== undefined || between >= outer || blocks.length === 0) ? (blocks.length === 0 ? free : between) : undefined;
            return {
                blocks,
                spans,
                holes,
                base,
                end,
                used,
                free,
                largest,
                fragmentation: largest === undefined ? undefined : free === 0 ? 0 : 1 - largest / free,
                overlaps,
                bytes: blocks.reduce((sum, index) => sum + size[index], 0),
                why: why || (largest === undefined ? "the source does not report the lowest address, so the largest free block is unknown" : undefined),
                banks: data.lanes[memory.lane].capacity?.banks,
                capacity: capacity?.bytesPerBank,
            };
        };

        const keyOf = (memory, { blocks, base, end }) => `${memory.type} ${memory.allocator} ${base} ${end} ${blocks.map((index) => `${address[index]}:${perBank[index]}:${data.rectangles.group[index]}:${data.rectangles.mark[index]}:${data.rectangles.label[index]}`)}`;

        let known;

        /** The banks at an event; devices of a mesh are mostly alike, and alike ones are one. */
        const at = (event, device) => {
            if (known && known.event === event && known.device === device) {
                return known.banks;
            }
            const alike = new Map();
            for (const memory of all) {
                if (device === undefined || memory.device === device) {
                    const one = bank(memory, event);
                    const key = keyOf(memory, one);
                    if (!alike.has(key)) {
                        alike.set(key, { ...one, type: memory.type, allocator: memory.allocator, devices: [] });
                    }
                    alike.get(key).devices.push(memory.device);
                }
            }
            known = { event, device, banks: [...alike.values()] };
            return known.banks;
        };

        /** The smallest of the largest free blocks of a type: a request for the whole mesh must fit on each device. */
        const largestFree = (type, event) => {
            const banks = at(event, undefined).filter((one) => one.type === type);
            return banks.length === 0 || banks.some((one) => one.largest === undefined) ? undefined : Math.min(...banks.map((one) => one.largest));
        };

        return { at, largestFree, isEmpty: all.length === 0 };
    };

    /** Both live bytes and the address space show it. */
    let shared;
    const of = (data) => {
        shared ||= create(data);
        return shared;
    };

    return { of };
})();
