"use strict";

/** Listens to pointer, wheel and keys over the lifetime map, with the keys and the wheel of Perfetto. */
const MapInput = (() => {
    const CLICK = 3;

    const isText = (element) => element.closest("input, select, textarea") !== null;

    const listen = (canvas, map) => {
        let dragged;
        let pointer;

        const zoom = (factor) => () => {
            const { axis, from, to } = Axis.view;
            const cursor = Cursor.event.value === undefined ? undefined : axis.of(Cursor.event.value);
            Axis.zoom(factor, pointer ? map.at(pointer).value : cursor >= from && cursor <= to ? cursor : (from + to) / 2);
        };

        const pan = (share) => () => Axis.move(Axis.view.from + (Axis.view.to - Axis.view.from) * share);

        const everywhere = { w: zoom(1 / 1.4), s: zoom(1.4), a: pan(-1 / 8), d: pan(1 / 8) };
        const focused = {
            "+": everywhere.w,
            "=": everywhere.w,
            "-": everywhere.s,
            "0": Axis.all,
            ArrowLeft: everywhere.a,
            ArrowRight: everywhere.d,
            ArrowUp: () => map.step(-1),
            ArrowDown: () => map.step(1),
            Enter: map.open,
            Escape: map.close,
        };

        // W, A, S and D need no click before them: the pointer is over the map.
        addEventListener("keydown", (event) => {
            const isFocused = document.activeElement === canvas;
            const action = (isFocused && focused[event.key]) || ((isFocused || pointer) && everywhere[event.key.toLowerCase()]);
            if (action && !isText(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
                event.preventDefault();
                Tooltip.hide();
                action();
            }
        });
        // A page that is scrolled past the map shall scroll on: the wheel zooms with Ctrl, or once the map has the focus.
        canvas.addEventListener(
            "wheel",
            (event) => {
                const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
                if (event.ctrlKey || (document.activeElement === canvas && !event.shiftKey && event.deltaY !== 0)) {
                    event.preventDefault();
                    Axis.zoom(event.deltaY > 0 ? 1.25 : 0.8, map.at(event).value);
                } else if (sideways !== 0) {
                    event.preventDefault();
                    pan(Math.sign(sideways) / 10)();
                }
            },
            { passive: false },
        );
        canvas.addEventListener("pointerdown", (event) => {
            if (event.button === 0) {
                dragged = { x: event.clientX, value: map.at(event).value, isPan: event.shiftKey || event.pointerType === "touch", isMoved: false };
                canvas.setPointerCapture(event.pointerId);
            }
        });
        canvas.addEventListener("pointermove", (event) => {
            pointer = event;
            if (dragged) {
                dragged.isMoved ||= Math.abs(event.clientX - dragged.x) > CLICK;
            }
            if (dragged?.isMoved && dragged.isPan) {
                Axis.move(Axis.view.from + dragged.value - map.at(event).value);
            } else if (dragged?.isMoved) {
                map.brush([dragged.value, map.at(event).value].sort((one, other) => one - other));
            }
        });
        canvas.addEventListener("pointerup", (event) => {
            const ended = dragged;
            dragged = undefined;
            if (ended && !ended.isMoved) {
                canvas.focus({ preventScroll: true });
                map.click(map.at(event));
            } else if (ended && !ended.isPan) {
                map.endBrush();
            }
        });
        canvas.addEventListener("pointercancel", () => {
            dragged = undefined;
        });
        canvas.addEventListener("pointerleave", () => {
            pointer = undefined;
        });
        canvas.addEventListener("dblclick", (event) => Axis.zoom(0.4, map.at(event).value));
        Tooltip.follow(canvas, (event) => (dragged?.isMoved ? undefined : map.tipAt(event)));
    };

    return { listen };
})();
