import { html, nothing, render, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { t } from '../words/texts.ts';

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly note?: string;
}

export interface ComboboxOptions {
  /** Of the input. */
  readonly id?: string | undefined;
  /** For screen readers; a field has its own label. */
  readonly label?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly invalid?: boolean;
  readonly required?: boolean | undefined;
  readonly placeholder?: string | undefined;
  /** The name of what is chosen; '': nothing is. */
  readonly shown: string;
  /** The options for a text, the best first. Never rejects. */
  readonly find: (text: string) => Promise<readonly Option[]>;
  /** undefined: the choice was emptied. */
  readonly choose: (option: Option | undefined) => void;
}

const PATIENCE_MS = 150;
let created = 0;

/**
 * A text field that finds one of many records at the service (the ARIA pattern of a combobox with a
 * list). Typing searches; the arrows, Home and End move; Enter chooses; Escape leaves the choice as it was.
 */
class Combobox extends HTMLElement {
  private readonly listId = `combobox-${++created}`;
  private options: ComboboxOptions | undefined;
  private found: readonly Option[] = [];
  /** What is typed; undefined: nothing since the last choice. */
  private typed: string | undefined;
  private isOpen = false;
  private at = -1;
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  set config(options: ComboboxOptions) {
    const input = this.querySelector('input');
    const before = input?.value;
    this.options = options;
    this.draw();
    // What is typed next replaces the name of what was chosen.
    if (input && input === document.activeElement && this.typed === undefined && input.value !== before) input.select();
  }

  disconnectedCallback(): void {
    clearTimeout(this.timer);
    this.turn++;
  }

  private async search(text: string): Promise<void> {
    const mine = ++this.turn;
    const found = (await this.options?.find(text)) ?? [];
    if (mine !== this.turn) return;
    this.found = found;
    this.at = found.length > 0 && text !== '' ? 0 : -1;
    this.isOpen = true;
    this.draw();
  }

  private close(): void {
    clearTimeout(this.timer);
    this.turn++;
    this.typed = undefined;
    this.isOpen = false;
    this.at = -1;
    this.draw();
  }

  private choose(option: Option | undefined): void {
    const { choose } = this.options ?? {};
    this.close();
    choose?.(option);
    this.querySelector('input')?.select();
  }

  private leave(): void {
    if (this.typed?.trim() === '' && this.options?.shown !== '') this.choose(undefined);
    else this.close();
  }

  private press(event: KeyboardEvent): void {
    const last = this.found.length - 1;
    const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, Home: 0, End: last }[event.key];
    if (event.key === 'Escape' && this.isOpen) this.close();
    else if (event.key === 'Enter' && this.isOpen && this.found[this.at]) this.choose(this.found[this.at]);
    else if (event.key.startsWith('Arrow') && to !== undefined && !this.isOpen) void this.search('');
    else if (to !== undefined && this.isOpen && last >= 0 && (event.key.startsWith('Arrow') || this.at >= 0)) {
      this.at = to > last ? 0 : to < 0 ? last : to;
      this.draw();
      this.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
    } else return;
    event.preventDefault();
  }

  private draw(): void {
    if (this.options) render(this.template(this.options), this);
  }

  private template({ id, label, describedBy, invalid, required, placeholder, shown }: ComboboxOptions): TemplateResult {
    const active = this.isOpen && this.at >= 0 ? `${this.listId}-${this.at}` : nothing;
    return html`<input
        id=${id ?? nothing}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck="false"
        aria-label=${label ?? nothing}
        aria-autocomplete="list"
        aria-expanded=${this.isOpen ? 'true' : 'false'}
        aria-controls=${this.isOpen ? this.listId : nothing}
        aria-activedescendant=${active}
        aria-describedby=${describedBy ?? nothing}
        aria-invalid=${invalid ? 'true' : nothing}
        aria-required=${required ? 'true' : nothing}
        placeholder=${placeholder ?? nothing}
        .value=${live(this.typed ?? shown)}
        @keydown=${(event: KeyboardEvent) => this.press(event)}
        @click=${() => !this.isOpen && void this.search('')}
        @focus=${(event: FocusEvent) => (event.target as HTMLInputElement).select()}
        @blur=${() => this.leave()}
        @input=${(event: InputEvent) => {
          const text = (event.target as HTMLInputElement).value;
          this.typed = text;
          clearTimeout(this.timer);
          this.timer = setTimeout(() => void this.search(text), PATIENCE_MS);
        }}
      />
      ${
        this.isOpen
          ? html`<ul
              id=${this.listId}
              role="listbox"
              aria-label=${label ?? t`Found`}
              @mousedown=${(event: Event) => event.preventDefault()}
            >
              ${
                this.found.length === 0
                  ? html`<li class="none" role="option" aria-disabled="true" aria-selected="false">${t`Nothing found`}</li>`
                  : this.found.map(
                      (option, i) =>
                        html`<li
                          id="${this.listId}-${i}"
                          role="option"
                          aria-selected=${i === this.at ? 'true' : 'false'}
                          @click=${() => this.choose(option)}
                        >
                          <span>${option.label}</span>${option.note ? html` <small>${option.note}</small>` : nothing}
                        </li>`,
                    )
              }
            </ul>`
          : nothing
      }`;
  }
}

customElements.define('ad-combobox', Combobox);

export const combobox = (options: ComboboxOptions): TemplateResult => html`<ad-combobox .config=${options}></ad-combobox>`;
