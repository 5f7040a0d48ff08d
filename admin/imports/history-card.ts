import { html, nothing, type TemplateResult } from 'lit-html';
import type { ImportedHistoryWire } from '../../src/imports/history-api.ts';
import type { Page } from '../page.ts';
import { card } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import { date, monthAndYear } from '../words/dates.ts';
import { count, percent } from '../words/formats.ts';
import { SOURCES, type ImportSource } from './import-words.ts';
import { t } from '../words/texts.ts';

/** What another system had counted of a campaign before it was imported; nothing where there is none. */
export const createHistoryCard = (page: Page, of: { readonly campaign_id: number }): (() => TemplateResult | typeof nothing) => {
  let history: ImportedHistoryWire | undefined;
  if (page.rights.may('GET', '/imported_history'))
    void page.api.get('/imported_history', of).then((answer) => {
      // Without it the screen is whole.
      if (answer.ok) history = answer.value;
      page.redraw();
    });
  return () => (history && history.rows.length > 0 ? historyCard(history) : nothing);
};

const historyCard = ({ source, first_day: first, last_day: last, rows, totals }: ImportedHistoryWire): TemplateResult => {
  const system = source !== null && Object.hasOwn(SOURCES, source) ? SOURCES[source as ImportSource].title : t`another system`;
  return card(
    t`Imported history`,
    html`<p>
        ${t`Counted by ${system} from ${date(first ?? '')} to ${date(last ?? '')}: it is in no report, limit, budget or statement of this service.`}
      </p>
      ${table({
        caption: t`Imported history`,
        rows: [...rows, { of: '', name: null, ...totals }],
        rowClass: ({ of }) => (of === '' ? 'sum' : ''),
        columns: [
          { label: t`Month`, cell: ({ of }) => (of === '' ? t`All` : monthAndYear(of)) },
          { label: t`Impressions`, numeric: true, cell: ({ impressions }) => count(impressions) },
          { label: t`Clicks`, numeric: true, cell: ({ clicks }) => count(clicks) },
          { label: 'CTR', numeric: true, cell: ({ impressions, clicks }) => (impressions === 0 ? '–' : percent(clicks / impressions)) },
        ],
      })}`,
  );
};
