/* SPDX-License-Identifier: Apache-2.0 */
/* The line at the top of each page of the site, with a box for full-text search, and the results on search.html. search.py writes the index, an array of
   [title, address, text]; it is a script, so that it loads from files too. */
(function () {
    "use strict";
    const MOST = 60, AROUND = 90;
    const LINKS = [["Start", "index.html"], ["Tutorial", "md_docs_tutorial.html"], ["Pages", "md_docs_index.html"],
                   ["Reference", "md_docs_headers.html"]];

    function makeBox() {
        const form = document.createElement("form");
        form.id = "fulltext";
        form.action = "search.html";
        form.innerHTML = LINKS.map(([name, page]) => `<a href="${page}">${name}</a>`).join("") +
            '<input name="q" type="search" placeholder="Search" aria-label="Search all pages">';
        const query = new URLSearchParams(location.search).get("q");
        form.elements.q.value = query || "";
        (document.getElementById("top") || document.body).appendChild(form);
        return query;
    }

    /* Names are words too: "out of memory" finds TW_ERROR_OUT_OF_MEMORY. */
    function plain(text) {
        return " " + text.toLowerCase().replace(/[_()[\]{}"'`.,:;=*/&<>–-]+/g, " ");
    }

    /* How often words that begin so are in a text. */
    function count(text, word) {
        return text.split(" " + word).length - 1;
    }

    /* All words must be there. A title that is the query comes first, then what has its words side by side. */
    function score(entry, words, asked) {
        const title = plain(entry[0]), text = plain(entry[2]);
        let sum = title.trim() === asked ? 1000 : 0;
        if (words.length > 1)
            sum += 300 * Math.min(count(title, asked), 1) + 20 * Math.min(count(text, asked), 10);
        for (const word of words) {
            const inTitle = count(title, word), inText = count(text, word);
            if (!inTitle && !inText)
                return 0;
            sum += (word.length > 3 ? 50 : 10) * Math.min(inTitle, 1) + Math.min(inText, 10);
        }
        return sum;
    }

    function snippet(text, words, query) {
        const lower = text.toLowerCase();
        let at = lower.search(query.replace(/ /g, "[ _]"));
        for (let i = 0; at < 0 && i < words.length; ++i)
            at = lower.indexOf(words[i]);
        const from = Math.max(0, at - AROUND);
        return (from ? "… " : "") + text.slice(from, from + 3 * AROUND) + (from + 3 * AROUND < text.length ? " …" : "");
    }

    function show(query) {
        const place = document.getElementById("results"), asked = plain(query).trim().replace(/\s+/g, " ");
        const words = asked.split(" ").filter(Boolean);
        const found = words.length ? fulltextIndex.map((entry) => [score(entry, words, asked), entry]).filter((f) => f[0]) : [];
        found.sort((a, b) => b[0] - a[0]);
        place.textContent = "";
        const count = document.createElement("p");
        count.id = "count";
        count.textContent = found.length + (found.length === 1 ? " place has " : " places have ") + "“" + query + "”";
        place.appendChild(count);
        for (const [, entry] of found.slice(0, MOST)) {
            const item = document.createElement("div"), link = document.createElement("a"), text = document.createElement("p");
            item.className = "result";
            link.href = entry[1];
            link.textContent = entry[0];
            text.textContent = snippet(entry[2], words, asked);
            item.append(link, text);
            place.appendChild(item);
        }
    }

    const query = makeBox();
    if (document.getElementById("results") && query !== null) {
        const index = document.createElement("script");
        index.src = "search_index.js";
        index.onload = () => show(query);
        document.head.appendChild(index);
    }
})();
