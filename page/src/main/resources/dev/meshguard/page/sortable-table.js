"use strict";

/** Shows a table that a reader sorts by any column and filters. On narrow screens a row becomes a card. */
const SortableTable = (() => {
    const compare = (one, other) => {
        if (typeof one === "number" && typeof other === "number") {
            return one - other;
        }
        return String(one).localeCompare(String(other), "en", { numeric: true });
    };

    /**
     * @param id of the table
     * @param caption what it lists
     * @param columns of {key, title, value(row) to sort by, cells(row) to show, number}
     * @param rows what is listed
     * @param detail(row) makes what a row opens, if it opens
     * @param limit how many rows are shown until a reader asks for the others
     * @param onOpen(row) is called when a reader opens a row
     */
    const create = ({ id, caption, columns, rows, detail, rowProperties = () => ({}), sortBy, descending = false, onOpen = () => {}, limit = Infinity }) => {
        let isFolded = true;
        let sorted = sortBy;
        let isDescending = descending;
        let holds = () => true;
        const status = Dom.make("p", { class: "counted", role: "status" });
        const body = Dom.make("tbody");
        const unfolder = Dom.make("button", { type: "button", class: "unfold" });
        unfolder.addEventListener("click", () => {
            const next = body.querySelectorAll("tr:not(.detail)").length;
            unfold();
            // The button is gone; the focus stays where the reader was.
            body.querySelectorAll("tr:not(.detail)")[next]?.querySelector("a, button")?.focus({ preventScroll: true });
        });

        const unfold = () => {
            isFolded = false;
            show();
        };

        const header = (column) => {
            const button = Dom.make("button", { type: "button", onclick: () => sort(column.key) }, column.title, Dom.make("span", { class: "arrow", "aria-hidden": "true" }));
            return Dom.make("th", { scope: "col", "data-key": column.key, class: column.number ? "number" : undefined }, button);
        };

        const entries = rows.map((row, index) => {
            const cells = columns.map((column, place) => {
                const shown = [column.cells(row)].flat(Infinity);
                const properties = { "data-title": column.title, "data-key": column.key, class: column.number ? "number" : undefined };
                return place === 0 ? Dom.make("th", { scope: "row", ...properties }, shown) : Dom.make("td", properties, shown);
            });
            const line = Dom.make("tr", { "data-index": index, ...rowProperties(row) }, cells);
            const entry = { row, line, index, opened: undefined };
            if (detail) {
                const opener = Dom.make("button", { type: "button", class: "opener", "aria-expanded": "false" }, Dom.make("span", { class: "visually-hidden" }, "Details"));
                opener.addEventListener("click", () => toggle(entry));
                cells[0].prepend(opener);
                line.addEventListener("click", (event) => {
                    if (!event.target.closest("button, a, input, textarea") && String(getSelection()) === "") {
                        toggle(entry);
                    }
                });
                entry.opener = opener;
            }
            return entry;
        });

        const toggle = (entry) => {
            open(entry, !entry.opened);
            if (entry.opened) {
                onOpen(entry.row);
            }
        };

        const open = (entry, isOpen) => {
            if (isOpen === Boolean(entry.opened)) {
                return;
            }
            if (isOpen) {
                entry.opened = Dom.make("tr", { class: "detail" }, Dom.make("td", { colspan: columns.length }, detail(entry.row)));
                entry.line.after(entry.opened);
            } else {
                entry.opened.remove();
                entry.opened = undefined;
            }
            entry.opener.setAttribute("aria-expanded", String(isOpen));
        };

        const sort = (key) => {
            isDescending = sorted === key ? !isDescending : Boolean(columns.find((column) => column.key === key).number);
            sorted = key;
            show();
        };

        const show = () => {
            const column = columns.find((one) => one.key === sorted);
            const shown = entries.filter((entry) => holds(entry.row));
            if (column) {
                const values = new Map(shown.map((entry) => [entry, column.value(entry.row)]));
                shown.sort((one, other) => (isDescending ? -1 : 1) * compare(values.get(one), values.get(other)) || one.index - other.index);
            }
            const listed = isFolded ? shown.slice(0, limit) : shown;
            unfolder.hidden = listed.length === shown.length;
            unfolder.textContent = `Show all ${shown.length}`;
            body.replaceChildren(...listed.flatMap((entry) => (entry.opened ? [entry.line, entry.opened] : [entry.line])));
            for (const head of table.querySelectorAll("thead th")) {
                head.setAttribute("aria-sort", head.dataset.key !== sorted ? "none" : isDescending ? "descending" : "ascending");
            }
            status.textContent = shown.length === rows.length ? "" : `${shown.length} of ${rows.length} shown`;
        };

        const table = Dom.make("table", { id, class: "sortable" }, Dom.make("caption", { class: "visually-hidden" }, caption), Dom.make("thead", {}, Dom.make("tr", {}, columns.map(header))), body);
        show();
        return {
            element: Dom.make("div", { class: "table" }, table, unfolder, status),
            filter: (predicate) => {
                holds = predicate;
                show();
            },
            unfold,
            open: (index, isOpen = true) => open(entries[index], isOpen),
            entry: (index) => entries[index],
        };
    };

    return { create };
})();
