import { html, type TemplateResult } from 'lit-html';
import type { AssetWire } from '../../../src/assets/asset-api.ts';
import type { Page } from '../../page.ts';
import { t } from '../../words/texts.ts';

export interface PictureUploadOptions {
  readonly id: string;
  readonly label: string;
  /** Whose files they are; '': of no publisher. */
  readonly publisher: string;
  /** Several at a time. */
  readonly many?: boolean;
  readonly onStored: (asset: AssetWire) => unknown;
}

/** Stores pictures that are chosen, or dropped on the button. */
export const pictureUpload = (page: Page, { id, label, publisher, many = false, onStored }: PictureUploadOptions): TemplateResult => {
  const store = async (file: File): Promise<void> => {
    const answer = await page.api.send('PUT', '/assets', {
      ...{ name: file.name, body: file },
      ...(publisher !== '' && { publisher_id: publisher }),
    });
    if (!answer.ok) return page.complain(answer.problem);
    if (!answer.value.type.startsWith('image/')) return page.toast(t`${file.name} is no picture.`, { tone: 'bad' });
    await onStored(answer.value);
  };
  const take = async (target: HTMLInputElement): Promise<void> => {
    const files = [...(target.files ?? [])];
    target.value = '';
    // One after the other: they stay in the order of their names.
    for (const file of files) await store(file);
  };
  return html`<label class="page-picture-add" for=${id}
    ><input
      id=${id}
      type="file"
      class="unseen"
      ?multiple=${many}
      accept="image/png,image/jpeg,image/webp,image/avif,image/svg+xml"
      @change=${({ target }: Event) => void take(target as HTMLInputElement)}
    /><span>${label}</span></label
  >`;
};
