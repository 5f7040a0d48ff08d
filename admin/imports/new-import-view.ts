import { html, nothing, type TemplateResult } from 'lit-html';
import { MAX_IMPORT_BYTES } from '../../src/imports/files/import-limits.ts';
import { sizeInWords } from '../../src/catalog/model/asset-rules.ts';
import { recordChoice } from '../bookings/lists/record-choice.ts';
import type { Page, View } from '../page.ts';
import { dropPlace, dropWords } from '../parts/drop-place.ts';
import { button, card, crumbs, pageHead } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import { saveFile } from '../api/save-file.ts';
import type { Problem } from '../api/wire.ts';
import { hashOf, type Route } from '../route.ts';
import { SOURCES, SOURCE_NAMES, type ImportSource } from './import-words.ts';
import { reviveOptions, type ReviveOptions } from './revive-options.ts';
import { t } from '../words/texts.ts';

const BACK = hashOf(['imports']);

/** A file is chosen, and read: what it would book is on the screen of the import. */
export const openNewImport = async (page: Page, route: Route): Promise<View> => {
  const source: ImportSource = SOURCE_NAMES.find((one) => one === route.query.get('source')) ?? 'spreadsheet';
  const { title, text, what, files, types, place } = SOURCES[source];
  await page.store.count();
  const known = page.store.first('publishers');
  let publisher = source === 'revive' ? '' : String((known.length === 1 ? known[0]?.id : undefined) ?? '');
  const options: ReviveOptions = { prefix: '', agency: '', domain: '', currency: 'USD', live: false };
  let file: File | undefined;
  let isReading = false;
  let refusal: Problem | undefined;

  const read = async (): Promise<void> => {
    if (!file || isReading) return;
    if (file.size > MAX_IMPORT_BYTES) {
      refusal = tooLarge(file, source);
      return page.redraw();
    }
    isReading = true;
    refusal = undefined;
    page.redraw();
    const { prefix, agency, domain, currency, live } = options;
    const given = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());
    const answer = await page.api.send('POST', '/imports', {
      ...{ source, file_name: file.name, publisher: given(publisher), body: file },
      ...(source === 'revive' && {
        ...{ prefix: given(prefix), agency: given(agency), domain: given(domain) },
        ...{ currency: given(publisher === '' ? currency : ''), live: live ? 'true' : 'false' },
      }),
    });
    isReading = false;
    if (answer.ok) return page.go(hashOf(['imports', answer.value.id]));
    refusal = answer.problem;
    page.redraw();
  };
  const take = (files: FileList | null | undefined): void => {
    file = files?.[0] ?? file;
    refusal = undefined;
    page.redraw();
    if (file && (source === 'revive' || publisher !== '')) void read();
  };
  const template = (format: 'xlsx' | 'csv') => saveFile(page, page.api.file('/import_template', { format }), `bookings.${format}`);

  const head = (): TemplateResult | typeof nothing =>
    source === 'spreadsheet'
      ? html`${button(t`Template for Excel`, () => template('xlsx'), 'secondary')}
        ${button(t`Template as CSV`, () => template('csv'), 'secondary')}`
      : nothing;
  return {
    title: t`Import from ${title}`,
    section: 'imports',
    render: () => html`
      ${crumbs([[BACK, t`Imports`]], title)} ${pageHead(t`Import from ${title}`, text, head())}
      <div class="import-form">
        ${recordChoice(page, {
          ...{ kind: 'publishers', label: source === 'revive' ? t`Into a publisher that is here already` : t`Publisher`, value: publisher },
          ...(source === 'revive' && { placeholder: t`A new one, made of the manager account` }),
          choose: (value) => {
            publisher = value;
            page.redraw();
          },
        })}
        ${source === 'revive' ? reviveOptions(options, { isNew: publisher === '', refused: refusal?.errors ?? [] }) : nothing}
        ${dropPlace({
          types,
          take,
          words: file
            ? html`<span><strong>${file.name}</strong>, ${sizeInWords(file.size)}</span
                ><small>${t`Drop another one here, or choose it`}</small>`
            : dropWords(what, t`${files}, up to ${sizeInWords(MAX_IMPORT_BYTES)}`),
        })}
        <p class="import-actions">
          <button
            type="button"
            ?disabled=${!file || isReading || (source !== 'revive' && publisher === '')}
            aria-busy=${isReading ? 'true' : 'false'}
            @click=${() => void read()}
          >
            ${isReading ? t`Reading the file …` : t`Read the file`}
          </button>
          <small>${t`Nothing is booked yet: you see first what would be.`}</small>
        </p>
        <div role="alert">${refusal ? refusalOf(refusal, place) : nothing}</div>
      </div>
    `,
  };
};

/** Why the file cannot be booked, with each fault at its place in it. */
const refusalOf = ({ code, title, detail, errors }: Problem, place: string): TemplateResult =>
  html`<div class="note bad">
      <strong>${code === 'invalid_request' ? t`The file cannot be booked as it is` : title}</strong>
      <p>${detail}</p>
    </div>
    ${
      errors.length === 0
        ? nothing
        : card(
            t`What to correct in the file`,
            table({
              caption: t`What to correct in the file`,
              rows: errors,
              columns: [
                { label: place, cell: ({ pointer }) => html`<strong class="unbroken">${placeOf(pointer)}</strong>` },
                { label: t`What is wrong`, prose: true, cell: ({ detail: words }) => words },
              ],
            }),
          )
    }`;

const placeOf = (pointer: string): string => pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');

/** The service would close the connection of a much larger file. */
const tooLarge = (file: File, source: ImportSource): Problem => ({
  ...{ status: 413, title: t`The file is too large`, code: 'body_too_large', errors: [], waitS: 0 },
  detail:
    source === 'revive'
      ? t`${file.name} has ${sizeInWords(file.size)}, and at most ${sizeInWords(MAX_IMPORT_BYTES)} are accepted. Pack it with gzip, or make a dump of the tables that are read, as it is said above. Nothing was read.`
      : t`${file.name} has ${sizeInWords(file.size)}, and at most ${sizeInWords(MAX_IMPORT_BYTES)} are accepted. Divide it. Nothing was read.`,
});
