// The script of `toolreel show`. The page can be read without it; with it, one steps through the events.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");

  const all = (selector, node = document) => [...node.querySelectorAll(selector)];
  const one = (selector, node = document) => node.querySelector(selector);

  function make(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "on") {
        for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
      } else if (value !== null) node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  }

  const button = (label, words, click) =>
    make("button", { type: "button", "aria-label": words, title: words, on: { click } }, label);

  // Light, dark, or as the system has it.
  function themes() {
    const dark = () => root.dataset.theme === "dark"
      || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    const name = () => (dark() ? "Light" : "Dark");
    const toggle = make("button", { type: "button", on: { click: () => {
      root.dataset.theme = dark() ? "light" : "dark";
      toggle.textContent = name();
    } } }, name());
    one(".tools").append(toggle);
  }

  // One turn that is in the page: a cursor on its events, and everything that follows it.
  class Turn {
    constructor(article, prefix) {
      this.article = article;
      this.prefix = prefix; // what stands before `event-8` in an address
      this.last = Number(article.dataset.events); // one past the last event: the end
      this.rows = all(".events > li", article);
      this.raws = all(".raw > li", article);
      this.calls = all(".call", article);
      this.svg = one(".strip svg", article);
      this.strip = one(".strip", article);
      this.moment = one(".moment", article);
      this.verdict = one(".says p", article).textContent;
      this.marks = this.rows.filter((row) => row.classList.contains("bad")).map((row) => Number(row.dataset.e));
      this.pieces = Array.from({ length: this.last + 1 }, () => []);
      for (const piece of all(".assembled [data-e]", article)) this.pieces[Number(piece.dataset.e)].push(piece);
      // An address leads to an event by the script, which keeps the lanes in sight, and not by its row.
      for (const row of this.rows) row.removeAttribute("id");
      this.lighted = [];
      this.here = this.last;
      if (!this.last) return;
      this.step = Number(this.svg.dataset.step);
      this.steps();
      this.tabs();
      this.pointer();
      this.go(this.last, { quietly: true });
    }

    steps() {
      const go = (by) => () => this.go(this.here + by);
      this.slider = make("input", { type: "range", min: 0, max: this.last, value: this.last, "aria-label": "Event",
        on: { input: () => this.go(Number(this.slider.value)) } });
      this.told = make("output", {});
      this.player = button("Play", "Play the events one after the other", () => this.play());
      one(".step", this.article).append(
        make("div", { class: "buttons" },
          button("⇤", "First event", () => this.go(0)), button("←", "Previous event", go(-1)),
          button("→", "Next event", go(1)), button("⇥", "The end", () => this.go(this.last)),
          ...(this.marks.length ? [button("▲ Finding", "Next finding", () => this.find(1))] : []), this.player),
        this.slider, this.told);
    }

    tabs() {
      const panels = one(".panels", this.article);
      const bar = make("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
      const wide = matchMedia("(min-width: 1020px)");
      const select = (name, focus) => {
        panels.dataset.tab = name;
        for (const tab of all("[role=tab]", bar)) {
          const shown = tab.dataset.tab === name || (wide.matches && name === "assembled" && tab.dataset.tab === "events");
          tab.setAttribute("aria-selected", shown);
          tab.tabIndex = shown ? 0 : -1;
          if (shown && focus) tab.focus();
        }
        this.follow();
      };
      for (const panel of all("[data-panel]", panels)) {
        const name = panel.dataset.panel;
        const title = one("h2", panel).textContent;
        panel.id = panel.id || `panel-${name}`;
        panel.tabIndex = 0;
        panel.setAttribute("role", "tabpanel");
        panel.setAttribute("aria-label", title);
        bar.append(make("button", { type: "button", role: "tab", "data-tab": name, "aria-controls": panel.id,
          on: { click: () => select(name) } }, title));
      }
      bar.addEventListener("keydown", (event) => {
        const shown = all("[role=tab]", bar).filter((tab) => tab.offsetParent);
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!by || !shown.includes(document.activeElement)) return;
        event.preventDefault();
        const next = shown[(shown.indexOf(document.activeElement) + by + shown.length) % shown.length];
        select(next.dataset.tab, true);
      });
      this.filter = make("input", { type: "search", placeholder: "Filter events", "aria-label": "Filter events",
        on: { input: () => this.sift() } });
      this.sifted = make("output", {});
      const line = make("div", { class: "tabs" }, bar, this.sifted, this.filter);
      bar.classList.remove("tabs");
      panels.prepend(line);
      this.select = select;
      wide.addEventListener("change", () => select(panels.dataset.tab));
      select(wide.matches ? "events" : "assembled");
    }

    sift() {
      const word = this.filter.value.trim().toLowerCase();
      let shown = 0;
      this.rows.forEach((row, at) => {
        const hidden = Boolean(word) && !row.textContent.toLowerCase().includes(word);
        row.hidden = hidden;
        this.raws[at].hidden = hidden;
        if (!hidden) shown += 1;
      });
      this.sifted.textContent = word ? `${shown} of ${this.rows.length}` : "";
    }

    pointer() {
      const at = (event) => {
        const box = this.svg.getBoundingClientRect();
        const number = Math.floor((event.clientX - box.left) / this.step);
        const lane = Math.floor((event.clientY - box.top - Number(this.svg.dataset.ruler)) / Number(this.svg.dataset.lane));
        return { number: Math.max(0, Math.min(this.last, number)), lane };
      };
      this.strip.addEventListener("pointermove", (event) => {
        const { number, lane } = at(event);
        this.light(number, lane >= 0 ? lane : null);
      });
      this.strip.addEventListener("click", (event) => this.go(at(event).number));
      this.article.addEventListener("pointerover", (event) => {
        const piece = event.target.closest("[data-e]");
        if (piece && !this.strip.contains(piece)) {
          this.light(Number(piece.dataset.e), piece.dataset.l === undefined ? null : Number(piece.dataset.l));
        } else if (!this.strip.contains(event.target)) this.light(null);
      });
      this.article.addEventListener("pointerleave", () => this.light(null));
      this.article.addEventListener("click", (event) => {
        const piece = event.target.closest(".assembled [data-e], .rows [data-e]");
        if (piece && !event.target.closest("a") && !String(getSelection())) this.go(Number(piece.dataset.e));
      });
    }

    // What an event brought to a lane, lit wherever it stands; to every lane where none is named.
    light(number, lane = null) {
      for (const node of this.lighted) node.classList.remove("lit");
      const rect = one("rect.lit", this.svg);
      if (number === null) {
        this.lighted = [];
        rect.setAttribute("x", -99);
        return;
      }
      const fits = (node) => lane === null || Number(node.dataset.l) === lane;
      this.lighted = [...this.pieces[number].filter(fits), ...all("code[data-e]", this.rows[number]).filter(fits)];
      for (const node of this.lighted) node.classList.add("lit");
      const { lane: height, ruler } = this.svg.dataset;
      rect.setAttribute("x", number * this.step);
      rect.setAttribute("y", lane === null ? 0 : Number(ruler) + Number(height) * lane);
      rect.setAttribute("height", lane === null ? this.svg.getAttribute("height") : height);
    }

    go(number, { quietly = false } = {}) {
      const to = Math.max(0, Math.min(this.last, number));
      const was = this.here;
      for (let at = Math.min(was, to) + 1; at <= Math.max(was, to); at += 1) {
        for (const piece of this.pieces[at]) piece.classList.toggle("later", at > to); // what has not come yet
      }
      for (const node of [this.rows[was], this.raws[was], ...this.pieces[was]]) node.classList.remove("here");
      for (const node of [this.rows[to], this.raws[to], ...this.pieces[to]]) node.classList.add("here");
      this.here = to;
      this.tell();
      if (!quietly) {
        this.follow();
        this.note();
      }
    }

    // The address of the event. A browser may refuse when it is told too often, as while playing.
    note() {
      const place = this.here === this.last ? "end" : `event-${this.here}`;
      try {
        history.replaceState(null, "", `#${this.prefix}${place}`);
      } catch {
        // the next step tells it
      }
    }

    tell() {
      const end = this.here === this.last;
      const type = one(".type", this.rows[this.here]).textContent;
      const words = end ? "the end" : `event ${this.here} of ${this.last - 1}`;
      this.slider.value = this.here;
      this.slider.setAttribute("aria-valuetext", `${words}, ${type}`);
      this.told.replaceChildren(make("b", {}, words), ` ${type}`);
      this.moment.replaceChildren(
        make("b", {}, end ? "At the end: " : `After event ${this.here}: `),
        end ? this.verdict : "a preview, not to be executed.");
      for (const call of this.calls) {
        const state = one(".state", call);
        state.textContent = this.state(call.dataset);
        state.className = `state ${state.textContent === "not yet" ? "none" : state.textContent}`;
      }
      one(".cursor", this.svg).setAttribute("x", this.here * this.step);
    }

    // Where a call stands after the event that the cursor is on.
    state(call) {
      const since = (name) => call[name] !== undefined && this.here >= Number(call[name]);
      if (this.here === this.last) return call.state;
      if (since("blocked")) return "blocked";
      if (since("closed")) return "closed";
      if (since("named")) return "named";
      return since("opened") ? "open" : "not yet";
    }

    // Bring the event into sight in each view that scrolls by itself. The page stays where it is.
    follow() {
      if (!this.slider) return;
      const x = this.here * this.step;
      if (x < this.strip.scrollLeft || x > this.strip.scrollLeft + this.strip.clientWidth - this.step * 2) {
        this.strip.scrollLeft = x - this.strip.clientWidth / 2;
      }
      for (const row of [this.rows[this.here], this.raws[this.here], this.pieces[this.here][0]]) {
        const panel = row && row.closest("[data-panel]");
        if (!panel || !row.offsetParent || panel.scrollHeight <= panel.clientHeight) continue;
        const box = panel.getBoundingClientRect();
        const place = row.getBoundingClientRect();
        if (place.top < box.top || place.bottom > box.bottom) {
          panel.scrollTop += place.top - box.top - box.height / 3;
        }
      }
    }

    find(by) {
      const there = by > 0 ? this.marks.find((at) => at > this.here) : this.marks.findLast((at) => at < this.here);
      if (this.marks.length) this.go(there ?? this.marks.at(by > 0 ? 0 : -1));
    }

    play() {
      if (this.playing) {
        clearInterval(this.playing);
        this.playing = null;
      } else {
        if (this.here === this.last) this.go(0);
        this.playing = setInterval(() => {
          this.go(this.here + 1);
          if (this.here === this.last) this.play();
        }, 120);
      }
      this.player.textContent = this.playing ? "Pause" : "Play";
    }

    key(key) {
      const keys = {
        j: () => this.go(this.here + 1), k: () => this.go(this.here - 1),
        f: () => this.find(1), F: () => this.find(-1),
        g: () => this.go(0), G: () => this.go(this.last),
        "/": () => { this.select("events"); this.filter.focus(); },
      };
      if (!this.last || !keys[key]) return false;
      keys[key]();
      return true;
    }
  }

  // An address within the page: a rule, or an event of the turn.
  function visit(turn, hash) {
    const place = /^(?:event-(\d+)|(end))$/.exec(hash);
    if (place && turn && turn.last) {
      turn.go(place[2] ? turn.last : Number(place[1]));
      one(".film", turn.article).scrollIntoView({ block: "nearest" });
    }
    const rule = hash.startsWith("rule-") && document.getElementById(hash);
    if (rule) {
      rule.open = true;
      rule.scrollIntoView();
    }
  }

  // The overview of many turns: the table is sorted and filtered, and each turn is one click away.
  class Folder {
    constructor(overview) {
      this.overview = overview;
      this.main = one("main");
      this.body = one(".turns tbody", overview);
      this.rows = all("tr", this.body);
      this.names = this.rows.map((row) => row.dataset.name);
      this.stored = all("script.stored");
      this.turn = null;
      this.shown = null; // the number of the turn that is open
      this.links();
      this.sorting();
      this.sifting();
      for (const wide of all(".wide", overview)) wide.tabIndex = 0;
      addEventListener("hashchange", () => this.visit());
      this.visit();
    }

    address(number) { return `#turn=${encodeURIComponent(this.names[number])}`; }

    links() {
      for (const row of all("tr[data-t]", this.overview)) {
        const head = one("th", row);
        head.replaceChildren(make("a", { href: this.address(Number(row.dataset.t)) }, head.textContent));
      }
    }

    sorting() {
      all(".turns thead th", this.overview).forEach((head, column) => {
        const number = head.classList.contains("number");
        const key = (row) => row.children[column].textContent;
        const order = (a, b) => (number
          ? Number(key(b).replaceAll(",", "")) - Number(key(a).replaceAll(",", ""))
          : (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
        const click = () => {
          const up = control.dataset.way === "down";
          for (const other of all(".turns thead button", this.overview)) delete other.dataset.way;
          for (const other of all(".turns thead th", this.overview)) other.removeAttribute("aria-sort");
          control.dataset.way = up ? "up" : "down";
          head.setAttribute("aria-sort", up !== number ? "descending" : "ascending");
          const sorted = this.rows.toSorted((a, b) => (up ? -order(a, b) : order(a, b)));
          this.body.append(...sorted);
        };
        const control = make("button", { type: "button", on: { click } }, head.textContent);
        head.replaceChildren(control);
      });
    }

    sifting() {
      const told = make("output", {});
      const choice = (label, values) => make("select", { "aria-label": label, on: { change: () => this.sift(told) } },
        make("option", { value: "" }, label), ...values.map((value) => make("option", { value }, value)));
      const column = (name) => all(".turns thead th", this.overview).findIndex((head) => head.textContent === name);
      const values = (at) => [...new Set(this.rows.map((row) => row.children[at].textContent))].sort();
      this.picks = ["verdict", "profile"].map((name) => {
        const at = column(name);
        return { at, select: choice(`any ${name}`, values(at)) };
      });
      this.filter = make("input", { type: "search", placeholder: "Filter turns", "aria-label": "Filter turns",
        on: { input: () => this.sift(told) } });
      one(".turns", this.overview).closest(".wide").before(
        make("div", { class: "bar" }, this.filter, ...this.picks.map((pick) => pick.select), told));
    }

    sift(told) {
      const words = this.filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of this.rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word))
          || this.picks.some(({ at, select }) => select.value && row.children[at].textContent !== select.value);
        if (!row.hidden) shown += 1;
      }
      told.textContent = shown === this.rows.length ? "" : `${shown} of ${this.rows.length}`;
    }

    async visit() {
      const place = /^turn=([^&]*)(?:&(.*))?$/.exec(location.hash.slice(1));
      const number = place ? this.names.indexOf(decodeURIComponent(place[1])) : -1;
      if (number < 0) {
        visit(this.turn, location.hash.slice(1)); // a rule, or an event of the turn that is open
        if (!location.hash) this.close();
        return;
      }
      if (number !== this.shown) await this.open(number);
      if (place[2]) visit(this.turn, place[2]);
    }

    async open(number) {
      this.close();
      this.shown = number;
      const packed = Uint8Array.from(atob(this.stored[number].textContent), (one) => one.charCodeAt(0));
      const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      const holder = make("div", { class: "opened-turn" });
      holder.innerHTML = await new Response(unpacked).text();
      if (this.shown !== number) return; // another one was opened meanwhile
      const listed = all("tr", this.body).filter((row) => !row.hidden).map((row) => Number(row.dataset.t));
      const at = listed.indexOf(number);
      const link = (to, words) => (to === undefined ? "" : make("a", { href: this.address(to) }, words));
      holder.prepend(make("nav", { class: "back", "aria-label": "Turns" }, make("a", { href: "#" }, "All turns"),
        link(listed[at - 1], "Previous"), link(listed[at + 1], "Next"),
        at < 0 ? "" : `${at + 1} of ${listed.length}`));
      this.overview.hidden = true;
      const codes = all("a.code", holder).map((code) => code.hash);
      for (const rule of all(".rule")) rule.hidden = !codes.includes(`#${rule.id}`);
      this.main.append(holder);
      scrollTo(0, 0);
      this.turn = new Turn(one("article", holder), `${this.address(number).slice(1)}&`);
    }

    close() {
      const was = this.shown;
      for (const holder of all(".opened-turn")) holder.remove();
      this.turn = null;
      this.shown = null;
      this.overview.hidden = false;
      for (const rule of all(".rule")) rule.hidden = false;
      if (was !== null) one(`tr[data-t="${was}"] a`, this.body).focus();
    }
  }

  themes();
  let turn = null;
  let folder = null;
  const article = one("main > article.turn");
  const overview = one("main > article.folder");
  if (article) {
    turn = new Turn(article, "");
    visit(turn, location.hash.slice(1));
    addEventListener("hashchange", () => visit(turn, location.hash.slice(1)));
  } else if (overview) folder = new Folder(overview);
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input[type=search], select, textarea");
    if (typing && event.key === "Escape") typing.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const open = turn || (folder && folder.turn);
    if (open ? open.key(event.key) : folder && event.key === "/" && (folder.filter.focus(), true)) event.preventDefault();
    else if (folder && open && event.key === "Escape") location.hash = "";
  });
})();
