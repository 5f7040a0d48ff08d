import { html, nothing, type TemplateResult } from 'lit-html';
import { parseEndDate } from '../../src/catalog/model/flight-dates.ts';
import type { LineItemWire } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { publisherOfCampaign } from '../words/kinds.ts';
import { say, t } from '../words/texts.ts';
import { applyRemedy, mayApply } from './apply-remedy.ts';
import { createAskedForecast, type KnownForecast } from './asked-forecast.ts';
import { createErrorLine } from './error-line.ts';
import { basisLine, bindingLine, forecastBar, remedyButtons, supplyFigures, warningLine } from './forecast-parts.ts';
import { outcomeWords, rangeWords } from './forecast-words.ts';

/** What a line item that exists will still deliver, why not more, and what to do. */
export const createLineItemForecast = (page: Page, item: LineItemWire | undefined) => {
  const asked = createAskedForecast(page);
  const isOver = item === undefined || (parseEndDate(item.end_date) ?? 0) <= Date.now();
  const may = page.rights.may('POST', '/forecasts') && !isOver && item.type === 'direct' && item.active && !item.archived;
  const ask = (): void => {
    if (may) asked.ask({ line_item_id: item.id });
  };
  const errors = createErrorLine(page);
  // The page is drawn first.
  setTimeout(() => {
    ask();
    const publisher = item && publisherOfCampaign(page.store, item.campaign_id);
    if (may && publisher) void errors.load({ publisher: publisher.id, subject: 'line_item', key: String(item.id) });
  });

  const words = (known: KnownForecast, now: LineItemWire): TemplateResult => {
    const endsLater = (parseEndDate(now.end_date) ?? 0) > (parseEndDate(known.to) ?? Infinity);
    const delivered = endsLater ? 0 : Math.max(0, (now.goal_impressions ?? 0) - (known.goal ?? 0));
    return html`<div class=${asked.isOutdated() ? 'stale' : ''}>
      <p class="forecast-head">
        <b>${outcomeWords(known, { endsLater, delivered })}</b>
        <span>${t`${rangeWords(known.delivery)} more`}</span>
      </p>
      ${forecastBar(known)} ${bindingLine(known)} ${supplyFigures(known)}
      ${mayApply(page, now) ? remedyButtons(known, (remedy) => applyRemedy(page, now, remedy, ask)) : nothing} ${warningLine(known)}
      ${errors.render()}
    </div>`;
  };
  return {
    /** What is to come, by day; undefined: it is not known. */
    known: () => asked.known(),
    render: (now: LineItemWire) => {
      if (!may) return nothing;
      const [known, reason] = [asked.known(), asked.reason()];
      // Without a forecast the course of the last days says how it will end.
      if (asked.problem()) return nothing;
      if (reason !== undefined) return html`<p class="help">${t`There is no forecast: ${say(reason)}.`}</p>`;
      return html`<div class="forecast of-line-item">
        ${known ? words(known, now) : html`<div class="forecast-bar" aria-hidden="true"></div>`} ${basisLine(asked)}
      </div>`;
    },
    leave: asked.stop,
  };
};
