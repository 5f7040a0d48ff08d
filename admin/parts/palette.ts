import { html, render, type TemplateResult } from 'lit-html';
import { t } from '../words/texts.ts';

export interface PaletteEntry {
  readonly label: string;
  /** What kind of thing it is. */
  readonly note: string;
  readonly hash: string;
}

const PATIENCE_MS = 150;

/**
 * Opens a field that finds screens and records by name. The arrows choose, Enter opens.
 *
 * @param find resolves to the entries for a text, the best first
 */
export const openPalette = (find: (text: string) => Promise<readonly PaletteEntry[]>, go: (hash: string) => void): void => {
  if (document.querySelector('dialog[open]')) return;
  const dialog = document.createElement('dialog');
  dialog.className = 'palette';
  dialog.setAttribute('aria-label', t`Find`);
  let entries: readonly PaletteEntry[] = [];
  let at = 0;
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const open = (entry: PaletteEntry | undefined): void => {
    if (!entry) return;
    dialog.close();
    go(entry.hash);
  };
  const search = async (text: string): Promise<void> => {
    const mine = ++turn;
    const found = await find(text);
    if (mine !== turn) return;
    entries = found;
    at = 0;
    draw();
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') open(entries[at]);
    // A search field would only clear its text.
    else if (event.key === 'Escape') dialog.close();
    else if (step !== undefined && entries.length > 0) at = (at + step + entries.length) % entries.length;
    else return;
    event.preventDefault();
    draw();
  };
  const row = (entry: PaletteEntry, i: number): TemplateResult =>
    html`<li id="palette-${i}" role="option" aria-selected=${i === at ? 'true' : 'false'} @click=${() => open(entry)}>
      <span>${entry.label}</span> <small>${entry.note}</small>
    </li>`;
  const draw = (): void => {
    render(
      html`<input
          type="search"
          role="combobox"
          aria-label=${t`Find a screen or a record`}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant=${entries.length > 0 ? `palette-${at}` : ''}
          placeholder=${t`Find a screen, campaign, line item, creative …`}
          autocomplete="off"
          autofocus
          @keydown=${press}
          @input=${(event: InputEvent) => {
            const text = (event.target as HTMLInputElement).value;
            clearTimeout(timer);
            timer = setTimeout(() => void search(text), PATIENCE_MS);
          }}
        />
        <ul id="palette-list" role="listbox" aria-label=${t`Found`}>
          ${entries.map(row)}
        </ul>`,
      dialog,
    );
  };

  dialog.addEventListener('close', () => {
    clearTimeout(timer);
    turn++;
    dialog.remove();
  });
  draw();
  document.body.append(dialog);
  dialog.showModal();
  void search('');
};
