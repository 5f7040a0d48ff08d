import { html, type TemplateResult } from 'lit-html';
import type { EventFormat } from '../../src/events/export/write-events.ts';
import { input } from '../parts/fields/input.ts';
import { recordChoice } from '../bookings/lists/record-choice.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { saveFile } from '../api/save-file.ts';
import { select } from '../parts/select.ts';
import { isoDateIn } from '../words/dates.ts';
import { t } from '../words/texts.ts';

const FORMATS = [
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
] as const satisfies readonly (readonly [EventFormat, string])[];

const yesterday = (): string => isoDateIn(-1);

/** The form that saves the events of a day as a file. */
export const createRawExport = (page: Page) => {
  let isOpen = false;
  let isSaving = false;
  let chosen = { day: yesterday(), format: 'csv', publisher: '' };
  const show = (open: boolean): void => {
    isOpen = open;
    page.redraw();
  };
  const choose = (change: Partial<typeof chosen>): void => {
    chosen = { ...chosen, ...change };
    page.redraw();
  };
  const save = async (): Promise<void> => {
    const { day, format, publisher } = chosen;
    isSaving = true;
    page.redraw();
    await saveFile(page, page.api.file('/events', { day, format, publisher_id: publisher || undefined }), `events_${day}.${format}`);
    isSaving = false;
    page.redraw();
  };
  return {
    open: (): void => show(true),
    render: (): TemplateResult | string => {
      if (!isOpen) return '';
      return card(
        t`Raw events of a day`,
        html`<p>
            ${t`One row for each impression, click and event whose ad was selected on this day. A million rows take some minutes. The audit trail names who saved the file.`}
          </p>
          <div class="row">
            ${input({ type: 'date', label: t`Day`, value: chosen.day, onChange: (day) => choose({ day }) })}
            ${select(t`Format`, chosen.format, FORMATS, (format) => choose({ format }))}
            ${recordChoice(page, {
              ...{ kind: 'publishers', label: t`Publisher`, value: chosen.publisher, placeholder: t`All publishers` },
              choose: (publisher) => choose({ publisher }),
            })}
            ${button(t`Cancel`, () => show(false), 'secondary')}
            <button
              type="button"
              ?disabled=${chosen.day === '' || isSaving}
              aria-busy=${isSaving ? 'true' : 'false'}
              @click=${() => void save()}
            >
              ${isSaving ? t`Reading …` : t`Save the file`}
            </button>
          </div>`,
      );
    },
  };
};
