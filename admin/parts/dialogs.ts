import { html, nothing, render, type TemplateResult } from 'lit-html';
import type { Question } from '../page.ts';

/** Opens a dialog and waits until it is closed. The browser restores the focus. */
const ask = (content: (close: (answer: string) => void) => TemplateResult, label: string): Promise<string> =>
  new Promise((resolve) => {
    const dialog = document.createElement('dialog');
    dialog.setAttribute('aria-label', label);
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
    render(
      content((answer) => dialog.close(answer)),
      dialog,
    );
    document.body.append(dialog);
    dialog.showModal();
  });

const GO_AHEAD = 'yes';

export const askQuestion = async ({ title, text, yes, dangerous }: Question): Promise<boolean> =>
  (await ask(
    (close) =>
      html`<article>
        <h2>${title}</h2>
        <p>${text}</p>
        <footer>
          <button type="button" class="secondary" autofocus @click=${() => close('')}>Cancel</button>
          <button type="button" class=${dangerous ? 'danger' : ''} @click=${() => close(GO_AHEAD)}>${yes}</button>
        </footer>
      </article>`,
    title,
  )) === GO_AHEAD;

/** The bearer token of the trafficking API, or undefined. */
export const askToken = async (refused: boolean): Promise<string | undefined> => {
  let typed = '';
  const answer = await ask(
    (close) =>
      html`<article>
        <h2>Sign in</h2>
        <p>
          ${refused ? 'That token was not accepted.' : 'This service requires its admin token (ADMIN_TOKEN).'} It is kept until this tab is
          closed.
        </p>
        <label for="admin-token">Admin token</label>
        <input
          id="admin-token"
          type="password"
          autocomplete="off"
          autofocus
          aria-invalid=${refused ? 'true' : nothing}
          @input=${(event: InputEvent) => (typed = (event.target as HTMLInputElement).value.trim())}
          @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && close(GO_AHEAD)}
        />
        <footer>
          <button type="button" class="secondary" @click=${() => close('')}>Cancel</button>
          <button type="button" @click=${() => close(GO_AHEAD)}>Sign in</button>
        </footer>
      </article>`,
    'Sign in',
  );
  return answer === GO_AHEAD && typed !== '' ? typed : undefined;
};

/** Shows an API key, once. */
export const showApiKey = (publisher: string, key: string): Promise<string> =>
  ask(
    (close) =>
      html`<article>
        <h2>The API key of ${publisher}</h2>
        <p>Copy it now: it is stored as a hash and cannot be shown again. Pages send it as <code>X-API-Key</code>.</p>
        <div class="secret"><code id="api-key">${key}</code></div>
        <footer>
          <button type="button" class="secondary" @click=${() => void navigator.clipboard?.writeText(key)}>Copy</button>
          <button type="button" autofocus @click=${() => close('')}>I have copied it</button>
        </footer>
      </article>`,
    'API key',
  );
