import { html, type TemplateResult } from 'lit-html';
import { t } from '../words/texts.ts';

export interface DropPlaceOptions {
  /** File types, as the attribute `accept` has them. */
  readonly types: string;
  /** Called with the files that are dropped or chosen. */
  readonly take: (files: FileList | null | undefined) => void;
  readonly words: TemplateResult;
}

/** A place to drop a file on, which is also a button that opens the file dialog. */
export const dropPlace = ({ types, take, words }: DropPlaceOptions): TemplateResult => {
  const mark = (event: DragEvent, over: boolean): void => {
    event.preventDefault();
    (event.currentTarget as HTMLElement).classList.toggle('over', over);
  };
  return html`<label
    class="file-drop"
    @dragover=${(event: DragEvent) => mark(event, true)}
    @dragleave=${(event: DragEvent) => mark(event, false)}
    @drop=${(event: DragEvent) => {
      mark(event, false);
      take(event.dataTransfer?.files);
    }}
  >
    <input
      type="file"
      class="unseen"
      accept=${types}
      @change=${({ target }: Event) => {
        const input = target as HTMLInputElement;
        take(input.files);
        input.value = '';
      }}
    />
    ${words}
  </label>`;
};

/** What a place says that has no file yet. */
export const dropWords = (what: string, limits: string): TemplateResult =>
  html`<span><strong>${t`Drop ${what} here`}</strong> ${t`or`} <u>${t`choose a file`}</u></span
    ><small>${limits}</small>`;
