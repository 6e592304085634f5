"use strict";

/** Reads the data of the page, which is part of its file: nothing is fetched. */
const PageData = (() => {
    const decode = (base64) => {
        const letters = atob(base64.trim());
        const bytes = new Uint8Array(letters.length);
        for (let index = 0; index < bytes.length; index++) {
            bytes[index] = letters.charCodeAt(index);
        }
        return bytes;
    };

    const unpack = async (base64) => {
        if (typeof DecompressionStream === "undefined") {
            throw new Error("This browser cannot unpack the figures of the page: it knows no DecompressionStream. Open the page in a newer one.");
        }
        const unpacked = new Blob([decode(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
        return new Response(unpacked).text();
    };

    const read = async () => {
        const plain = document.getElementById("data");
        const text = plain ? plain.textContent : await unpack(document.getElementById("data-gzip").textContent);
        return JSON.parse(text);
    };

    return { read };
})();
