"use strict";

/** Shows the address space of the allocators at a chosen event: a strip for each memory, devices that are alike in one. */
const SpaceView = (() => {
    const MOST = 12;

    let data;
    let model;
    let details;
    let colours;
    let input;
    let moment;
    let strips;
    let table;

    const event = () => Cursor.event.value ?? data.peak.event;

    const devicesOf = (devices) => (devices[0] < 0 ? "no device" : devices.length === 1 ? `device ${devices[0]}` : `${devices.length} devices`);

    const name = (bank) => `${bank.type} of ${devicesOf(bank.devices)}`;

    const percent = (share) => (share > 0 && share < 0.001 ? "less than 0.1 %" : `${Math.round(share * 1000) / 10} %`);

    const figure = (title, text, key) => Dom.make("div", {}, Dom.make("dt", {}, title), Dom.make("dd", { "data-figure": key }, text));

    const figures = (bank) =>
        Dom.make(
            "dl",
            { class: "space-figures" },
            figure("blocks", String(bank.blocks.length), "blocks"),
            bank.blocks.some((index) => data.rectangles.perBank[index] < 0) ? null : figure("used", bank.capacity === undefined ? Format.shortSize(bank.used) : `${Format.shortSize(bank.used)} of ${Format.shortSize(bank.capacity)}`, "used"),
            bank.free === undefined ? null : figure("free", Format.shortSize(bank.free), "free"),
            bank.largest === undefined ? null : figure("largest free block", Format.shortSize(bank.largest), "largest"),
            bank.fragmentation === undefined ? null : figure("fragmentation", percent(bank.fragmentation), "fragmentation"),
        );

    const tip = (part) =>
        part.index === undefined
            ? [Dom.make("p", {}, Dom.make("b", {}, `Free: ${Format.size(part.to - part.from)}`), " in each bank"), Dom.make("p", {}, `from ${Format.address(part.from)} to ${Format.hex(part.to)}`)]
            : [...details.tip(part.index), part.to > part.from ? Dom.make("p", {}, `${Format.size(part.to - part.from)} in each bank`) : null];

    const strip = (bank, number) => {
        const canvas = Dom.make("canvas", { role: "img", "aria-label": `Address space of ${name(bank)}: ${Format.count(bank.blocks.length, "block")}. The table below lists them.` });
        const title = [Dom.make("h3", {}, bank.type, ` of ${devicesOf(bank.devices)}`), Dom.make("span", { class: "of-allocator" }, [bank.devices.length > 1 ? `devices ${bank.devices.join(", ")}` : null, bank.allocator ? `allocator of ${bank.allocator}` : null, bank.banks ? `each of ${bank.banks} banks` : "each bank"].filter(Boolean).join(" · "))];
        const holder = Dom.make("div", { class: "space-bank" }, canvas);
        const element = Dom.make(
            "div",
            { class: "space-strip", "data-type": bank.type, "data-devices": bank.devices.join(), "data-strip": number },
            Dom.make("div", { class: "space-title" }, title),
            figures(bank),
            holder,
            bank.why ? Dom.make("p", { class: "note" }, `Unknown: ${bank.why}.`) : null,
            bank.overlaps > 0 ? Dom.make("p", { class: "note" }, `${Format.count(bank.overlaps, "block")} ${bank.overlaps === 1 ? "overlaps another: the report of a free is" : "overlap others: reports of frees are"} missing.`) : null,
        );
        let parts = [];
        const paint = () => {
            parts = SpacePainter.paint(canvas, bank, data, colours, false);
        };
        const at = (pointer) => {
            const x = pointer.clientX - canvas.getBoundingClientRect().left;
            const hit = parts.filter((part) => part.left - 1 <= x && x <= part.right + 1);
            return hit.find((part) => part.index !== undefined && part.left <= x && x <= part.right) || hit[0];
        };
        Tooltip.follow(canvas, (pointer) => at(pointer) && tip(at(pointer)));
        canvas.addEventListener("click", (pointer) => {
            const part = at(pointer);
            if (part?.index !== undefined) {
                location.hash = `#buffer-${data.rectangles.from[part.index]}`;
            }
        });
        return { element, paint };
    };

    const text = (position) => (position < 0 ? "" : data.strings[position]);

    const rows = (banks) => banks.flatMap((bank) => bank.blocks.map((index) => ({ index, bank })));

    const blocks = (banks) => {
        const { address, perBank, size, label, site, from, to, mark } = data.rectangles;
        return SortableTable.create({
            id: "space-table",
            caption: "Blocks of the address space",
            limit: 50,
            rows: rows(banks),
            columns: [
                { key: "memory", title: "Memory", value: ({ bank }) => name(bank), cells: ({ bank }) => name(bank) },
                { key: "address", title: "Address", number: true, value: ({ index }) => address[index], cells: ({ index }) => Address.link("buffer", from[index], Format.hex(address[index])) },
                { key: "bank", title: "In each bank", number: true, value: ({ index }) => perBank[index], cells: ({ index }) => (perBank[index] < 0 ? Dom.absent() : Format.shortSize(perBank[index])) },
                { key: "size", title: "Size", number: true, value: ({ index }) => size[index], cells: ({ index }) => Format.shortSize(size[index]) },
                { key: "label", title: "Label", value: ({ index }) => text(label[index]), cells: ({ index }) => text(label[index]) || Dom.absent() },
                { key: "site", title: "Line", value: ({ index }) => text(site[index]), cells: ({ index }) => (site[index] < 0 ? Dom.absent() : Dom.frame(text(site[index]))) },
                { key: "from", title: "Allocated", number: true, value: ({ index }) => from[index], cells: ({ index }) => Address.event(from[index]) },
                { key: "to", title: "Freed", number: true, value: ({ index }) => (to[index] < 0 ? Infinity : to[index]), cells: ({ index }) => (to[index] < 0 ? Format.MARKS[mark[index]] : Address.event(to[index])) },
            ],
        }).element;
    };

    const showTable = () => {
        if (table.open) {
            table.lastElementChild.replaceChildren(blocks(model.at(event(), Cursor.device.value)));
        }
    };

    const draw = () => {
        const banks = model.at(event(), Cursor.device.value);
        const phase = data.phases.findLast((one) => one.from <= event());
        input.value = event();
        moment.textContent = `${phase ? `in ${phase.name}; ` : ""}${Format.shortSize(banks.reduce((sum, bank) => sum + bank.bytes * bank.devices.length, 0))} live${event() === data.peak.event ? ", the peak of the run" : ""}`;
        const made = banks.slice(0, MOST).map(strip);
        strips.replaceChildren(...made.map(({ element }) => element), Dom.omitted({ shown: made.length, of: banks.length }, "strips are drawn. Click a device of the mesh to see its own."));
        made.forEach(({ paint }) => paint());
        showTable();
    };

    const show = (newData) => {
        data = newData;
        model = SpaceModel.of(data);
        const section = Dom.section("space");
        if (model.isEmpty) {
            section.hidden = true;
            return;
        }
        details = MapDetails.create(data);
        colours = FindingColours.create(data);
        input = Dom.make("input", { type: "number", id: "space-event", min: "1", max: String(data.end) });
        input.addEventListener("input", () => {
            const number = input.valueAsNumber;
            if (Number.isInteger(number) && number >= 1 && number <= data.end) {
                Cursor.event.set(number, "space");
            }
        });
        moment = Dom.make("span", { class: "moment", id: "space-moment" });
        strips = Dom.make("div", { class: "space-strips", id: "space-strips" });
        table = Dom.make("details", { id: "space-blocks" }, Dom.make("summary", {}, "Blocks as a table"), Dom.make("div"));
        table.addEventListener("toggle", showTable);
        section.append(
            Dom.make("p", { class: "lead" }, "What the allocators hold at one event. Choose it here, or by a click in the map, in live bytes or in the events."),
            Dom.make(
                "div",
                { class: "controls" },
                Dom.make("label", { class: "field" }, Dom.make("span", {}, "Event"), input),
                Dom.make("button", { type: "button", id: "space-peak", onclick: () => Cursor.event.set(data.peak.event, "space") }, "Peak of the run"),
                moment,
            ),
            strips,
            table,
            Dom.make("p", { class: "note" }, "Left to right: the addresses of one bank, in the colours of the map; long holes are drawn short. A click on a block shows it there. A buffer occupies the same address in each bank. Fragmentation is the share of the free bytes outside the largest free block."),
        );
        Address.onOpen("space", (number) => {
            Cursor.event.set(Math.max(1, Math.min(data.end, Number(number))), "address");
            section.scrollIntoView();
        });
        const drawWhenSeen = Dom.whenSeen(section, draw);
        drawWhenSeen();
        Cursor.event.onChange(drawWhenSeen);
        Cursor.device.onChange(drawWhenSeen);
        Dom.onNewWidth(strips, drawWhenSeen);
        Dom.onTheme(draw);
    };

    return { show };
})();
