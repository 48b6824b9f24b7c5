// Questions to the reader, and short notes that go by themselves.
import {button, h, icon} from './dom.js';

function modal(content, {label}) {
  const dialog = h('dialog.dialog', {'aria-label': label}, content);
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.showModal();
  return dialog;
}

/** A question; resolves to true if `yes` was pressed. The focus is on the harmless answer. */
export function confirmBox({title, text, yes, kind = 'danger'}) {
  return new Promise((resolve) => {
    const close = (value) => {
      resolve(value);
      dialog.close();
    };
    const dialog = modal(h('div', h('h2', title), h('p', text), h('div.dialog-buttons',
      button('Cancel', () => close(false), {autofocus: true}), button(yes, () => close(true), {kind}))),
    {label: title});
    dialog.addEventListener('cancel', () => resolve(false));
  });
}

/**
 * A form: fields are elements with names. `send(values)` may throw; its message is shown then.
 * Resolves to what `send` gave, or null if the reader gave up.
 */
export function formBox({title, text, fields, yes, send}) {
  return new Promise((resolve) => {
    const wrong = h('p.form-error', {role: 'alert'});
    const submit = h('button.button.primary', {type: 'submit'}, yes);
    const close = (value) => {
      resolve(value);
      dialog.close();
    };
    const form = h('form', {
      onsubmit: async (event) => {
        event.preventDefault();
        submit.disabled = true;
        wrong.textContent = '';
        try {
          close(await send(Object.fromEntries(new FormData(form))));
        } catch (error) {
          wrong.textContent = error.message;
        }
        submit.disabled = false;
      },
    }, h('h2', title), text && h('p', text), fields, wrong,
    h('div.dialog-buttons', button('Cancel', () => close(null)), submit));
    const dialog = modal(form, {label: title});
    dialog.addEventListener('cancel', () => resolve(null));
  });
}

/** A field of a form with its label and a hint. */
export function field(label, input, hint) {
  return h('label.field', h('span.field-label', label), input, hint && h('span.hint', hint));
}

let notes = null;

/** A short note at the edge; `tone` is good or bad. */
export function note(text, tone = 'good') {
  notes ??= document.body.appendChild(h('div.notes', {role: 'status', 'aria-live': 'polite'}));
  const element = h(`div.note.${tone}`, icon(tone === 'good' ? 'check' : 'warning'), h('span', text));
  notes.append(element);
  setTimeout(() => element.remove(), tone === 'good' ? 4000 : 8000);
}
