import { html, nothing } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Page } from '../page.ts';
import { counted } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import { shareWords } from './forecast-words.ts';

type ForecastError = Answered<'GET', '/forecast_errors'>[number];

export interface ErrorLineOptions {
  readonly publisher: number;
  readonly subject: ForecastError['subject'];
  /** One placement or line item; undefined: all of them. */
  readonly key?: string;
}

/** Of forecasts of several ages, those that say most of how far one can look ahead. */
const AGES = [7, 1, 28];

/** How good forecasts were, on one quiet line; nothing where none has been compared yet. */
export const createErrorLine = (page: Page) => {
  let shown: ForecastError | undefined;
  return {
    load: async ({ publisher, subject, key }: ErrorLineOptions): Promise<void> => {
      if (!page.rights.may('GET', '/forecast_errors')) return;
      const answer = await page.api.get('/forecast_errors', { publisher, ...(key === undefined ? {} : { subject, key }) });
      const rows = answer.ok ? answer.value.filter((one) => one.subject === subject && one.compared > 0) : [];
      shown = AGES.flatMap((age) => rows.find((one) => one.age === age) ?? [])[0];
      page.redraw();
    },
    render: () =>
      shown
        ? html`<p class="help forecast-error">
            ${t`Forecasts made ${counted(shown.age, 'day')} before were off by ${shareWords(shown.mean_error)} on average; ${shareWords(shown.held)} of what came was within their range.`}
          </p>`
        : nothing,
  };
};
