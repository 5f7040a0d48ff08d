import { html, type TemplateResult } from 'lit-html';
import type { Form } from '../../bookings/forms/form.ts';
import { textOf } from '../../bookings/forms/typed-text.ts';
import type { Page } from '../../page.ts';
import { assetPath } from '../../words/asset-words.ts';
import { isoDateIn } from '../../words/dates.ts';
import { t } from '../../words/texts.ts';
import { button } from '../parts.ts';
import { fieldGroup, idOf, type FieldOptions } from './field.ts';
import { input } from './input.ts';
import { pictureUpload } from './picture-upload.ts';
import { formRows } from './rows.ts';

interface ScreenshotDraft {
  readonly picture: string;
  /** '': not known. */
  readonly day: string;
  readonly caption: string;
}

export const screenshotDrafts = (value: unknown): readonly ScreenshotDraft[] =>
  ((value ?? []) as readonly Readonly<Record<keyof ScreenshotDraft, unknown>>[]).map(({ picture, day, caption }) => ({
    ...{ picture: textOf(picture), day: textOf(day), caption: textOf(caption) },
  }));

export const screenshotsOf = (drafts: unknown): readonly object[] =>
  (drafts as readonly ScreenshotDraft[]).map((one) => ({ ...one, day: one.day === '' ? null : one.day }));

/** Pictures of the ads of a campaign on the pages, each with its day and a caption. */
export const screenshotsField = (form: Form, page: Page, options: FieldOptions): TemplateResult =>
  fieldGroup(form, options, () => {
    const { pointer } = options;
    const { rows, add, remove, change } = formRows<ScreenshotDraft>(form, pointer);
    const one = ({ picture, day, caption }: ScreenshotDraft, at: number): TemplateResult =>
      html`<figure class="page-picture">
        <a href=${picture} target="_blank" rel="noopener"><img class="screenshot" src=${picture} alt=${t`Screenshot ${at + 1}`} /></a>
        ${input({ label: t`Caption of screenshot ${at + 1}`, value: caption, placeholder: t`Home page, phone`, maxLength: 200, onInput: (typed) => change(at, { caption: typed }) })}
        <figcaption>
          <input
            type="date"
            aria-label=${t`Day of screenshot ${at + 1}`}
            .value=${day}
            @change=${({ target }: Event) => change(at, { day: (target as HTMLInputElement).value })}
          />
          ${button(t`Remove`, () => remove(at), 'quiet danger-text', t`Remove screenshot ${at + 1}`)}
        </figcaption>
      </figure>`;
    return html`<div class="page-pictures">
      ${rows.map(one)}
      ${pictureUpload(page, {
        ...{ id: idOf(pointer), label: t`Add screenshots`, publisher: textOf(form.read('/publisher_id')), many: true },
        onStored: (asset) => add({ picture: assetPath(asset), day: isoDateIn(0), caption: '' }),
      })}
    </div>`;
  });
