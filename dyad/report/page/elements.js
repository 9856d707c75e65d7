// SPDX-License-Identifier: BSD-3-Clause
// Parts that pages are made of. Text enters the page only as text, never as HTML.

/** An element with attributes (functions are listeners, null is left out) and children (elements or text). */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function")
      made.addEventListener(name, value);
    else if (value !== null && value !== false)
      made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter(child => child !== null));
  return made;
}

/** A name shown at most `length` characters long; the whole of it is its title. */
function name_element(name, length = 40) {
  return element("span", {class: "name", title: shown_name(name)}, shorten(name, length));
}

/** The name of an effect, a or a × b, as an element. */
function effect_element(report, i, j, length = 28) {
  const name = effect_name(report, i, j);
  return element("span", {class: "name", title: name}, effect_name(report, i, j, length));
}

/** A class's name after a dot of its colour. */
function class_element(report, k, length = 28) {
  return element(
      "span", {class: "class"}, element("span", {class: `dot dot-${k % 8}`, "aria-hidden": "true"}),
      name_element(report.model.classes[k], length));
}

/** A table. Columns are {head, number}; cells are elements or text; `caption` is only read out. */
function table(caption, columns, rows, attributes = {}) {
  const cell = (content, column, tag, scope) =>
      element(tag, {class: column.number ? "number" : null, scope}, content);
  const head = element("tr", {}, columns.map(column => cell(column.head, column, "th", "col")));
  const line = ([first, ...others]) => element(
      "tr", {}, cell(first, columns[0], "th", "row"),
      others.map((content, k) => cell(content, columns[k + 1], "td", null)));
  return element(
      "div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
      element(
          "table", attributes, element("caption", {class: "hidden"}, caption), element("thead", {}, head),
          element("tbody", {}, rows.map(line))));
}

/** Figures of one number each: [name, value, note]. */
function tiles(shown) {
  return element(
      "dl", {class: "tiles"},
      shown.map(
          ([name, value, note]) => element(
              "div", {class: "tile"}, element("dt", {}, name), element("dd", {class: "value"}, value),
              element("dd", {class: "tile-note"}, note))));
}

/** A table whose first `first` rows are shown, the rest on demand. */
function long_table(caption, columns, rows, first, attributes = {}) {
  const holder = element("div");
  const show = count => {
    const more = rows.length > count ?
        element(
            "button", {type: "button", class: "more", click: () => show(count + 4 * first)},
            `Show more (${count_text(rows.length - count)})`) :
        null;
    holder.replaceChildren(
        table(caption, columns, rows.slice(0, count), attributes), ...(more ? [more] : []));
  };
  show(first);
  return holder;
}

/** A select with a label. Options are {value, name}. */
function select_control(label, options, value, change) {
  const select = element(
      "select", {"aria-label": label, change: () => change(Number(select.value))},
      options.map(
          option => element(
              "option", {value: option.value, title: shown_name(option.name)}, shorten(option.name, 32))));
  select.value = value;
  return element("label", {class: "control"}, element("span", {}, label), select);
}

/** One of a few choices, as radio buttons in a row. */
function choice_control(legend, group, names, chosen, change) {
  return element(
      "fieldset", {class: "choice"}, element("legend", {class: "hidden"}, legend),
      names.map(
          (name, k) => element(
              "label", {},
              element(
                  "input",
                  {type: "radio", name: group, value: k, checked: k === chosen, change: () => change(k)}),
              element("span", {}, name))));
}

function check_control(label, checked, change) {
  const box = element("input", {type: "checkbox", checked, change: () => change(box.checked)});
  return element("label", {class: "control check"}, box, element("span", {}, label));
}

function range_control(label, {low, high, value}, change) {
  const output = element("output", {}, String(value));
  const range = element("input", {
    type: "range",
    min: low,
    max: high,
    value,
    "aria-label": label,
    input: () => {
      output.textContent = range.value;
      change(Number(range.value));
    }
  });
  return element("label", {class: "control"}, element("span", {}, label), range, output);
}

/**
 * A list to search and choose from: {search, name} say what it is; `items(words)` gives all fitting
 * {key, name, title, share, note}; `choose(key)` is called with the item chosen. Arrow keys move in the list.
 */
class Picker {
  constructor({search, name, items, choose, shown = 12}) {
    Object.assign(this, {items, choose, first: shown, shown, chosen: null});
    this.input = element("input", {
      type: "search",
      placeholder: search,
      "aria-label": search,
      spellcheck: "false",
      input: () => {
        this.shown = this.first;
        this.draw();
      },
      keydown: event => {
        if (event.key === "ArrowDown") this.focus(0, event);
      }
    });
    this.list = element(
        "div", {role: "listbox", class: "options", "aria-label": name, keydown: event => this.move(event)});
    this.count = element("p", {class: "count", role: "status"});
    this.more = element("button", {
      type: "button",
      class: "more",
      click: () => {
        this.shown *= 3;
        this.draw();
      }
    });
    this.element = element("div", {class: "picker"}, this.input, this.list, this.more, this.count);
  }

  /** Draws the options; the one chosen is always among them unless the search excludes it. */
  draw(chosen = this.chosen) {
    this.chosen = chosen;
    const all = this.items(this.input.value.toLowerCase().split(/\s+/).filter(word => word !== ""));
    const place = all.findIndex(item => item.key === chosen);
    this.shown = Math.max(this.shown, Math.min(place + 1, 200));
    const items = all.slice(0, this.shown);
    if (place >= items.length) items.push(all[place]);
    this.list.replaceChildren(...items.map((item, k) => this.option(item, k, items)));
    this.more.hidden = items.length >= all.length;
    this.more.textContent = `Show more (${count_text(all.length - items.length)})`;
    this.count.textContent = all.length === 0 ? "Nothing fits the search." : "";
    const current = this.list.querySelector("[aria-selected=\"true\"]");
    if (current) keep_in_view(this.list, current);
  }

  option(item, k, items) {
    const selected = item.key === this.chosen;
    const reachable = selected || (k === 0 && !items.some(other => other.key === this.chosen));
    const made = element(
        "div", {
          role: "option",
          class: "option",
          "aria-selected": String(selected),
          "data-key": item.key,
          tabindex: reachable ? "0" : "-1",
          title: item.title,
          click: () => this.pick(item.key)
        },
        element("span", {class: "option-name"}, item.name),
        element("span", {class: "option-note"}, item.note));
    made.style.setProperty("--share", `${100 * Math.max(0, Math.min(1, item.share ?? 0))}%`);
    return made;
  }

  pick(key) {
    this.choose(key);
    this.list.querySelector("[aria-selected=\"true\"]")?.focus({preventScroll: true});
  }

  focus(k, event) {
    const options = this.list.children;
    if (options.length === 0) return;
    event.preventDefault();
    const target = options[Math.max(0, Math.min(options.length - 1, k))];
    this.pick(Number(target.dataset.key));
  }

  move(event) {
    const options = Array.from(this.list.children);
    const k = options.indexOf(document.activeElement);
    const steps = {ArrowDown: k + 1, ArrowUp: k - 1, Home: 0, End: options.length - 1, Enter: k, " ": k};
    if (event.key in steps) this.focus(steps[event.key], event);
  }
}

function keep_in_view(list, option) {
  const above = option.offsetTop - list.offsetTop;
  if (above < list.scrollTop)
    list.scrollTop = above;
  else if (above + option.offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = above + option.offsetHeight - list.clientHeight;
}

/** Whether a text has all the words (in lower case). */
function fits(text, words) {
  const low = text.toLowerCase();
  return words.every(word => low.includes(word));
}
