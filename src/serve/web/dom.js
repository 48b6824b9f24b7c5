// Elements. Everything that is shown comes through here, so nothing from the crawled web is ever
// taken for markup: strings become text nodes, and URLs become links only if they are http(s).

const SVG = 'http://www.w3.org/2000/svg';

// Controls, and what changes the direction of writing: a title with one of them could make a line
// read as something else. Tabs and line feeds stay.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** `text` with a replacement character for each that is invisible and not harmless. */
export const clean = (text) => String(text ?? '').replace(HIDDEN, '\ufffd');

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === '') continue;
    element.append(child instanceof Node ? child : clean(child));
  }
  return element;
}

// Addresses of our own: a place of this page, or the API. Anything else is for webLink().
const isOwn = (address) => /^(#|\/(?![/\\])|blob:)/.test(address);

function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') {
      element.addEventListener(name.replace(/^on/, ''), value);
    } else if (/^on|^style$|^srcdoc$/.test(name)) {
      throw new Error(`${name} is not set as text`);
    } else if ((name === 'href' || name === 'src') && !isOwn(value)) {
      throw new Error('only addresses of this service; webLink() makes other links');
    } else {
      element.setAttribute(name, value === true ? '' : clean(value));
    }
  }
}

function parse(selector) {
  const [tag, ...classes] = selector.split('.');
  return [tag || 'div', classes];
}

/** An element: h('p.note.soft', {title: '…', onclick: f}, 'text', child, …). */
export function h(selector, ...rest) {
  const [tag, classes] = parse(selector);
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(' ');
  return fill(element, rest);
}

/** The same for SVG. */
export function s(selector, ...rest) {
  const [tag, classes] = parse(selector);
  const element = document.createElementNS(SVG, tag);
  if (classes.length) element.setAttribute('class', classes.join(' '));
  return fill(element, rest);
}

function fill(element, rest) {
  const plain = rest[0] && typeof rest[0] === 'object' && !(rest[0] instanceof Node) &&
    !Array.isArray(rest[0]);
  if (plain) setAll(element, rest[0]);
  return append(element, plain ? rest.slice(1) : rest);
}

/** Replaces what `element` holds. */
export function show(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

/** Sets a text only if it is another one: what is selected or focused stays so. */
export function setText(element, text) {
  const wanted = clean(text);
  if (element.textContent !== wanted) element.textContent = wanted;
}

export function isWeb(url) {
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

/** A link to a crawled URL; plain text if it is not http(s). */
export function webLink(url, ...children) {
  const content = children.length ? children : [url];
  if (!isWeb(url)) return h('span.web', ...content);
  const link = h('a.web', {rel: 'noopener noreferrer nofollow', target: '_blank'}, ...content);
  link.href = url;
  return link;
}

/** A URL as two parts that wrap and cut well: host, then path. */
export function urlText(url) {
  const match = /^(https?:\/\/)([^/?#]*)(.*)$/s.exec(url);
  if (!match) return h('span.url', url);
  return h('bdi.url', {dir: 'ltr'}, h(match[1] === 'https://' ? 'span.scheme.https' : 'span.scheme', match[1]), h('span.host', match[2]),
    h('span.path', match[3]));
}

const ICONS = {
  overview: 'M3 12h4l3-8 4 16 3-8h4',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 21 21',
  pages: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  hosts: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  links: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  log: 'M4 6h16M4 12h10M4 18h13',
  crawls: 'M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z',
  pause: 'M8 5v14M16 5v14',
  resume: 'M7 4.5v15l12-7.5z',
  stop: 'M6 6h12v12H6z',
  close: 'M6 6l12 12M18 6 6 18',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  next: 'M9 5l7 7-7 7',
  back: 'M15 5l-7 7 7 7',
  open: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  warning: 'M12 4 2.5 20h19zM12 10v4M12 17h.01',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  retry: 'M4 12a8 8 0 1 0 2.5-5.8M4 4v5h5',
};

export function icon(name) {
  return s('svg.icon', {viewBox: '0 0 24 24', 'aria-hidden': 'true'}, s('path', {d: ICONS[name]}));
}

/** Something to click: button('Pause', f, {icon: 'pause', class: 'primary'}). */
export function button(label, onclick, {icon: name, kind, ...attributes} = {}) {
  return h(kind ? `button.button.${kind}` : 'button.button', {type: 'button', onclick, ...attributes},
    name && icon(name), h('span', label));
}

/** What stands where a list is empty: why, and what to do. */
export function emptyState(title, text, ...actions) {
  return h('div.empty', h('p.empty-title', title), text && h('p', text),
    actions.length > 0 && h('p.actions', ...actions));
}

/** What failed, and a way to try it again. */
export function errorState(error, again) {
  return h('div.empty.failed', {role: 'alert'}, icon('warning'),
    h('p.empty-title', 'This could not be loaded'), h('p', error.message),
    again && h('p.actions', button('Try again', again, {icon: 'retry'})));
}

/** Grey lines in the place of what is being loaded, so that nothing moves when it comes. */
export function skeleton(lines) {
  return h('div.skeleton', {'aria-hidden': 'true'},
    Array.from({length: lines}, () => h('span.bone')));
}
