// Completions of the word that is being typed: the combobox pattern, with the focus in the field.
import {h, show} from './dom.js';
import {counted} from './format.js';

const REST_MS = 120;
const MOST = 8;

/** The word at the end of a query, without the sign or the field before it. */
export const lastWord = (query) => /[^\s":()+-][^\s":()]*$/.exec(query)?.[0] ?? '';

/** Shows completions of what is typed into `input` in `list`; search(query) is called with one taken. */
export class Completions {
  constructor(input, list, api, signal, search) {
    Object.assign(this, {input, list, api, signal, search, chosen: -1});
    input.addEventListener('input', () => {
      clearTimeout(this.rest);
      this.rest = setTimeout(() => this.ask(), REST_MS);
    });
    input.addEventListener('blur', () => this.close());
    input.form.addEventListener('submit', () => this.close());
    input.addEventListener('keydown', (event) => this.onKey(event));
  }

  close() {
    clearTimeout(this.rest);
    this.list.hidden = true;
    this.chosen = -1;
    this.input.setAttribute('aria-expanded', 'false');
    this.input.removeAttribute('aria-activedescendant');
  }

  async ask() {
    const prefix = lastWord(this.input.value);
    const words = prefix.length < 2 ? [] : await this.api.get('suggest', {q: prefix}, this.signal).catch(() => []);
    if (prefix !== lastWord(this.input.value)) return;  // Another question is on its way.
    const fitting = words.filter(({word}) => word !== prefix).slice(0, MOST);
    if (!fitting.length || document.activeElement !== this.input) this.close();
    else this.open(fitting);
  }

  open(words) {
    this.chosen = -1;
    this.input.removeAttribute('aria-activedescendant');
    show(this.list, words.map(({word, pages}, i) => h('li', {
      role: 'option', id: `completion-${i}`, 'aria-selected': 'false',
      onpointerdown: (event) => {
        event.preventDefault();  // The focus stays in the field.
        this.take(word);
      },
    }, h('bdi', word), h('span.soft', counted(pages, 'page', 'pages')))));
    this.words = words.map(({word}) => word);
    this.list.hidden = false;
    this.input.setAttribute('aria-expanded', 'true');
  }

  take(word) {
    const {value} = this.input;
    this.input.value = value.slice(0, value.length - lastWord(value).length) + word;
    this.close();
    this.search(this.input.value.trim());
  }

  /** The next or the previous one; none is between the last and the first. */
  choose(step) {
    const options = [...this.list.children];
    const places = options.length + 1;
    this.chosen = (this.chosen + 1 + step + places) % places - 1;
    options.forEach((option, i) => option.setAttribute('aria-selected', String(i === this.chosen)));
    if (this.chosen < 0) this.input.removeAttribute('aria-activedescendant');
    else this.input.setAttribute('aria-activedescendant', options[this.chosen].id);
  }

  onKey(event) {
    if (event.isComposing || this.list.hidden) return;
    if (event.key === 'Escape') this.close();
    else if (event.key === 'ArrowDown') this.choose(1);
    else if (event.key === 'ArrowUp') this.choose(-1);
    else if (event.key === 'Enter' && this.chosen >= 0) this.take(this.words[this.chosen]);
    else return;
    event.preventDefault();
  }
}
