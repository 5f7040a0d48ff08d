import { html, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { ToastOptions } from '../page.ts';
import { button } from './parts.ts';
import { t } from '../words/texts.ts';

interface Toast extends ToastOptions {
  readonly id: number;
  readonly text: string;
}

const LIFE_MS = 8_000;

/** Short notices. They close by themselves after LIFE_MS; problems stay until they are closed. */
export const createToasts = (redraw: () => void) => {
  let toasts: readonly Toast[] = [];
  let last = 0;
  const close = (id: number): void => {
    toasts = toasts.filter((toast) => toast.id !== id);
    redraw();
  };
  return {
    add: (text: string, options: ToastOptions = {}): void => {
      const id = ++last;
      toasts = [...toasts.slice(-3), { id, text, ...options }];
      if (options.tone !== 'bad') setTimeout(() => close(id), LIFE_MS);
      redraw();
    },
    render: (): TemplateResult => html`
      <div class="toasts" role="status" aria-live="polite">
        ${repeat(
          toasts,
          ({ id }) => id,
          ({ id, text, tone = 'good', action }) =>
            html`<div class="toast ${tone}">
              <span>${text}</span>
              ${action ? button(action.label, () => (close(id), action.run()), 'quiet') : ''}
              ${button('×', () => close(id), 'quiet icon-button', t`Close this notice`)}
            </div>`,
        )}
      </div>
    `,
  };
};
