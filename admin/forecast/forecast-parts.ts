import { html, nothing, type TemplateResult } from 'lit-html';
import type { Page } from '../page.ts';
import { button } from '../parts/parts.ts';
import { counted, linkTo } from '../words/kinds.ts';
import { percent } from '../words/formats.ts';
import { rich, say, t } from '../words/texts.ts';
import type { AskedForecast, Forecast, KnownForecast } from './asked-forecast.ts';
import { about, bindingOf, bindingWords, effectWords, isShort, rangeWords, remedyWords, sinceWords } from './forecast-words.ts';

type Remedy = Forecast['remedies'][number];

/** What is sure, likely and possible of a goal, or of what matches where there is none. */
export const forecastBar = ({ goal, available, delivery }: KnownForecast): TemplateResult => {
  const most = goal === null || goal === 0 ? available : goal;
  const at = (value: number): number => (most > 0 ? Math.min(100, (100 * value) / most) : 0);
  const [sure, likely, possible] = [at(delivery.p10), at(delivery.p50), at(delivery.p90)];
  const words = goal === null ? t`${rangeWords(delivery)} of ${about(available)} that match` : t`${rangeWords(delivery)} of ${about(most)}`;
  return html`<div class="forecast-bar" role="img" aria-label=${words}>
    <span class="sure" .style=${`width:${sure}%`}></span><span class="likely" .style=${`width:${likely - sure}%`}></span
    ><span class="possible" .style=${`width:${possible - likely}%`}></span>
  </div>`;
};

/** Available and free impressions. */
export const supplyFigures = ({ available, free, clicks, viewable }: KnownForecast): TemplateResult =>
  html`<dl class="forecast-figures">
    <div>
      <dt title=${t`Impressions that match its placements, days and targeting`}>${t`Available`}</dt>
      <dd>${about(available)}</dd>
    </div>
    <div>
      <dt title=${t`Of them, those that no line item gets which ranks above it`}>${t`Free`}</dt>
      <dd>${about(free)}</dd>
    </div>
    <div>
      <dt>${t`Clicks`}</dt>
      <dd>${clicks === null ? '–' : about(clicks)}</dd>
    </div>
    ${
      viewable === null
        ? nothing
        : html`<div>
            <dt>${t`In view`}</dt>
            <dd>${about(viewable)}</dd>
          </div>`
    }
  </dl>`;

/** How sure the figures are so far, on one line. */
export const basisLine = (asked: AskedForecast): TemplateResult => {
  const progress = asked.progress();
  const known = asked.known();
  const words =
    progress === undefined
      ? known?.basis === 'replay'
        ? t`From a replay of all bookings`
        : known
          ? t`From the sample of traffic`
          : ''
      : asked.isOutdated() || !known
        ? t`Looking at the sample of traffic …`
        : t`From the sample; replaying all bookings, ${percent(Math.floor(progress * 100) / 100)}`;
  return html`<p class="forecast-basis" aria-live="polite">
    <span>${words}</span>
    <progress class=${progress === undefined ? 'idle' : ''} max="1" .value=${progress ?? 0} aria-label=${t`Replay`}></progress>
  </p>`;
};

/** Why it misses its goal, or what keeps it from more. */
export const bindingLine = (forecast: KnownForecast): TemplateResult | typeof nothing => {
  const since = isShort(forecast) ? sinceWords(forecast) : '';
  if (since !== '') return html`<p>${rich`Since ${html`<b>${since}</b>`}.`}</p>`;
  const most = bindingOf(forecast);
  return most ? html`<p>${rich`Held back most by ${html`<b>${bindingWords(most)}</b>`}.`}</p>` : nothing;
};

const MAX_DISPLACED = 3;

/** Who gets less because of it, by name. */
export const createDisplacedLine = (page: Page) => {
  const asked = new Set<number>();
  const nameOf = (id: number): string => {
    const found = page.store.find('line_items', id);
    if (!found && !asked.has(id)) {
      asked.add(id);
      void page.store.ensure('line_items', id).then(page.redraw);
    }
    return found?.name ?? t`Line item ${id}`;
  };
  return ({ displaced }: KnownForecast): TemplateResult | typeof nothing => {
    if (displaced.length === 0) return nothing;
    const shown = displaced.slice(0, MAX_DISPLACED);
    const rest = displaced.length - shown.length;
    return html`<div class="forecast-displaced">
      <p>${t`Takes impressions from ${counted(displaced.length, 'line item')}:`}</p>
      <ul>
        ${shown.map(
          ({ line_item_id: id, impressions }) =>
            html`<li><a href=${linkTo('line_items', id)}>${nameOf(id)}</a> <span class="figure">−${about(impressions)}</span></li>`,
        )}
        ${rest > 0 ? html`<li class="muted">${t`and ${rest} more`}</li>` : nothing}
      </ul>
    </div>`;
  };
};

/** What would bring more, each with what it would come to. */
export const remedyButtons = (forecast: KnownForecast, apply: (remedy: Remedy) => unknown): TemplateResult | typeof nothing => {
  if (!isShort(forecast) || forecast.remedies.length === 0) return nothing;
  return html`<ul class="forecast-remedies" aria-label=${t`What would help`}>
    ${forecast.remedies.map(
      (remedy) =>
        html`<li>${button(t`${remedyWords(remedy)}: ${effectWords(remedy, forecast.goal)}`, () => apply(remedy), 'secondary')}</li>`,
    )}
  </ul>`;
};

export const warningLine = ({ warning }: KnownForecast): TemplateResult | typeof nothing =>
  warning === null ? nothing : html`<p class="help">${say(warning)}.</p>`;
