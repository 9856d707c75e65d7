// SPDX-License-Identifier: BSD-3-Clause
// The page: its sections, what is chosen in them, the theme, the address and printing.

/** What is chosen is in `state`; a section is drawn when it comes near the window or what it shows changes. */
class Page {
  constructor(report) {
    this.report = report;
    this.state = {score: 0, feature: 0, pair: 0, row: 0};
    this.start_with_most_important();
    this.read_address();
    this.sections = [Quality, Overview, Features, Pairs, Dependence, Rows, WhatIf, About].map(
        kind => this.add_section(kind));
    this.add_navigation();
    this.add_score_control();
    this.add_theme();
    this.watch();
  }

  start_with_most_important() {
    const s = this.state.score;
    this.state.feature =
        order_by(this.report.features.length, i => this.report.features[i].importance[s][0])[0] ?? 0;
    this.state.pair = order_by(this.report.pairs.length, p => this.report.pairs[p].importance[s][0])[0] ?? 0;
  }

  add_section(kind) {
    const holder = element(
        "section", {id: kind.id, "aria-labelledby": `${kind.id}-title`, "aria-busy": "true"},
        element("h2", {id: `${kind.id}-title`, tabindex: "-1"}, kind.title));
    document.getElementById("content").append(holder);
    return {kind, holder, view: null, stale: true, near: false};
  }

  add_navigation() {
    document.getElementById("sections")
        .append(...this.sections.map(
            ({kind}) => element(
                "a", {
                  href: `#section=${kind.id}`,
                  "data-section": kind.id,
                  click: event => {
                    event.preventDefault();
                    this.go(kind.id);
                  }
                },
                kind.title)));
  }

  /** Whose score is shown: a choice for more than two classes, a sentence for two. */
  add_score_control() {
    const {report, state} = this;
    const place = document.getElementById("score-control");
    if (report.intercepts.length === 1) {
      place.append(element("span", {class: "quiet"}, "Positive speaks for "), class_element(report, 1, 24));
      return;
    }
    const control = select_control(
        "Score of class", report.model.classes.map((name, value) => ({value, name})), state.score,
        score => this.choose({score}));
    this.score_select = control.querySelector("select");
    place.append(control);
  }

  /** Draws a section, building it first if nobody has seen it. */
  show(section) {
    if (!section.stale) return;
    if (!section.view) {
      section.view = new section.kind(this);
      section.holder.append(...section.view.content);
    }
    section.stale = false;
    section.view.draw();
    section.holder.removeAttribute("aria-busy");
  }

  set_stale(section) {
    section.stale = true;
    section.holder.setAttribute("aria-busy", "true");
  }

  /** Takes over {score, feature, pair, row}, redraws what shows them and goes to the section named, if any. */
  choose(changes, section = null) {
    Object.assign(this.state, changes);
    for (const one of this.sections)
      if (!one.view || one.view.uses.some(name => name in changes)) this.set_stale(one);
    this.write_address();
    for (const one of this.sections)
      if (one.near) this.show(one);
    if (section) this.go(section);
  }

  go(id) {
    const section = this.sections.find(one => one.kind.id === id);
    if (!section) return;
    this.section = id;
    this.show(section);
    this.write_address();
    section.holder.querySelector("h2").focus({preventScroll: true});
    section.holder.scrollIntoView({block: "start"});
  }

  /** The address carries numbers only, so names need no care. */
  write_address() {
    const {score, feature, pair, row} = this.state;
    const number = this.report.rows[row]?.row;
    const parts = [
      this.section && `section=${this.section}`, score > 0 && `score=${score}`, `feature=${feature}`,
      this.report.pairs.length > 0 && `pair=${pair}`, number && `row=${number}`
    ];
    history.replaceState(null, "", `#${parts.filter(part => part).join("&")}`);
  }

  read_address() {
    const given = new URLSearchParams(location.hash.slice(1));
    const index = (name, count) => {
      const value = given.has(name) ? Number(given.get(name)) : -1;
      if (Number.isInteger(value) && value >= 0 && value < count) this.state[name] = value;
    };
    index("score", this.report.intercepts.length);
    index("feature", this.report.features.length);
    index("pair", this.report.pairs.length);
    const row = this.report.rows.findIndex(one => one.row === Number(given.get("row")));
    if (row >= 0) this.state.row = row;
    this.section = this.sections ? given.get("section") : null;
    return given.get("section");
  }

  add_theme() {
    const button = document.getElementById("theme");
    const name = () => {
      button.textContent = theme() === "dark" ? "Light" : "Dark";
      button.setAttribute("aria-label", `Use ${button.textContent.toLowerCase()} colours`);
    };
    button.addEventListener("click", () => {
      document.documentElement.dataset.theme = theme() === "dark" ? "light" : "dark";
      name();
      this.redraw();
    });
    name();
    this.name_theme = name;
  }

  /** Draws everything anew that can be seen, the rest when it is seen. */
  redraw() {
    for (const section of this.sections) this.set_stale(section);
    for (const section of this.sections)
      if (section.near) this.show(section);
  }

  watch() {
    const near = new IntersectionObserver(entries => this.approach(entries), {rootMargin: "300px 0px"});
    const current = new IntersectionObserver(
        () => this.mark_current(), {threshold: [0, 0.01], rootMargin: "-100px 0px -60% 0px"});
    for (const {holder} of this.sections) {
      near.observe(holder);
      current.observe(holder);
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.name_theme();
      this.redraw();
    });
    matchMedia("(max-width: 640px)").addEventListener("change", () => this.redraw());
    addEventListener("hashchange", () => this.follow_address());
    addEventListener("beforeprint", () => this.before_print());
    addEventListener("afterprint", () => this.after_print());
    const section = new URLSearchParams(location.hash.slice(1)).get("section");
    if (section) this.go(section);
  }

  approach(entries) {
    for (const entry of entries) {
      const section = this.sections.find(one => one.holder === entry.target);
      section.near = entry.isIntersecting;
      if (section.near) this.show(section);
    }
  }

  mark_current() {
    const passed = this.sections.filter(({holder}) => holder.getBoundingClientRect().top < innerHeight * 0.4);
    const current = passed[passed.length - 1] ?? this.sections[0];
    for (const link of document.querySelectorAll("#sections a")) {
      if (link.dataset.section !== current.kind.id)
        link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "true");
        const bar = link.parentElement;
        bar.scrollLeft = link.offsetLeft - bar.clientWidth / 2 + link.clientWidth / 2;
      }
    }
  }

  follow_address() {
    const section = this.read_address();
    if (this.score_select) this.score_select.value = this.state.score;
    this.redraw();
    if (section) this.go(section);
  }

  /** Paper shows all sections, in light colours and as wide as the sheet. */
  before_print() {
    this.theme_before = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    for (const section of this.sections) {
      this.set_stale(section);
      this.show(section);
      for (const figure of section.view.figures)
        figure.fit(figure.element.closest(".grid:not(.uneven)") ? 330 : 680);
    }
  }

  after_print() {
    if (this.theme_before)
      document.documentElement.dataset.theme = this.theme_before;
    else
      delete document.documentElement.dataset.theme;
    for (const section of this.sections)
      for (const figure of section.view.figures) figure.fit(null);
    this.redraw();
  }
}

document.addEventListener("DOMContentLoaded", () => new Page(read_document()));
