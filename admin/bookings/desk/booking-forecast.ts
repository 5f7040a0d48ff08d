import { html, nothing, type TemplateResult } from 'lit-html';
import { parseEndDate } from '../../../src/catalog/model/flight-dates.ts';
import type { Page } from '../../page.ts';
import { createAskedForecast, type ForecastQuestion, type KnownForecast } from '../../forecast/asked-forecast.ts';
import {
  basisLine,
  bindingLine,
  createDisplacedLine,
  forecastBar,
  remedyButtons,
  supplyFigures,
  warningLine,
} from '../../forecast/forecast-parts.ts';
import { createModelChoice } from '../../forecast/model-choice.ts';
import { outcomeWords, rangeWords, remedyWords } from '../../forecast/forecast-words.ts';
import { button, card } from '../../parts/parts.ts';
import { select } from '../../parts/select.ts';
import { say, t } from '../../words/texts.ts';
import { textOf } from '../forms/typed-text.ts';
import type { BookingDesk } from './booking-desk.ts';
import { bodyOf, type BookingDraft, type ItemPart } from './booking-draft.ts';
import { withRemedy } from './forecast-remedy.ts';

/** After the last change; the check of the booking is awaited as well. */
const CALM_MS = 500;
const LOOK_AGAIN_MS = 200;

/** What the line item that was changed last will deliver, while it is typed. */
export const createBookingForecast = (page: Page, desk: () => BookingDesk) => {
  const may = page.rights.may('POST', '/forecasts');
  const asked = createAskedForecast(page);
  const displaced = createDisplacedLine(page);
  let seen: BookingDraft | undefined;
  let current = '';
  let question = '';
  let applied: { readonly words: string; readonly of: string; readonly undo: (now: BookingDraft) => BookingDraft } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const itemOf = (draft: BookingDraft): ItemPart | undefined => draft.line_items.find(({ key }) => key === current) ?? draft.line_items[0];
  /** What has to be there before anything can be said; '': nothing is missing. */
  const missing = (draft: BookingDraft, item: ItemPart): string => {
    if (textOf(item.fields['type']) === 'programmatic') return t`What bidders will bid cannot be forecast.`;
    const places = item.fields['placement_ids'];
    if (Array.isArray(places) && places.length === 0 && !item.creatives.some(({ base }) => base !== undefined))
      return t`Choose where it runs, and this says what it will deliver.`;
    const at = `/line_items/${draft.line_items.indexOf(item)}`;
    const isAbout = (pointer: string): boolean =>
      pointer.startsWith('/campaign') || pointer.startsWith('/advertiser') || pointer === at || pointer.startsWith(`${at}/fields`);
    const faults = desk()
      .findings()
      .filter(({ of, pointer }) => of === 'fault' && isAbout(pointer));
    return faults.length > 0 ? t`It follows when nothing is missing: see below.` : '';
  };
  const look = (): void => {
    if (desk().isChecking()) {
      timer = setTimeout(look, LOOK_AGAIN_MS);
      return;
    }
    const draft = desk().draft();
    const item = itemOf(draft);
    if (!item || missing(draft, item) !== '') {
      question = '';
      asked.stop();
      return page.redraw();
    }
    const booking = bodyOf(draft, desk().name() || '–', page.store.dimensions());
    // Its own creatives are stand-ins: what is forecast does not depend on what they show.
    const bare = { ...booking, line_items: booking.line_items.map((one) => ({ ...one, creatives: [] })) };
    const next: ForecastQuestion = { booking: bare, at: draft.line_items.indexOf(item), models: models.chosen() };
    const key = JSON.stringify(next);
    if (key === question) return;
    question = key;
    asked.ask(next);
  };
  const lookSoon = (ms = CALM_MS): void => {
    clearTimeout(timer);
    timer = setTimeout(look, ms);
  };
  const models = createModelChoice(page, () => lookSoon(0));
  /** The line item that was changed last is the one that is forecast. */
  const notice = (): void => {
    const draft = desk().draft();
    if (draft === seen) return;
    const changed = draft.line_items.filter((item) => !seen?.line_items.includes(item));
    if (seen && changed.length === 1) current = changed[0]!.key;
    current = itemOf(draft)?.key ?? '';
    seen = draft;
    lookSoon();
  };
  const apply = (remedy: KnownForecast['remedies'][number]): void => {
    const { draft, undo } = withRemedy(desk().draft(), current, remedy, page.store.dimensions());
    applied = { words: remedyWords(remedy), of: current, undo };
    desk().change(() => draft);
  };
  const undo = (): void => {
    const back = applied?.undo;
    applied = undefined;
    if (back) desk().change(back);
  };
  const choice = ({ line_items: items }: BookingDraft): TemplateResult | typeof nothing =>
    items.length < 2
      ? nothing
      : select(
          t`Line item that is forecast`,
          current,
          items.map(({ key, fields }, at) => [key, textOf(fields['name']) || t`Line item ${at + 1}`]),
          (key) => {
            current = key;
            page.redraw();
            lookSoon(0);
          },
          'forecast-of',
        );

  const figures = (known: KnownForecast, item: ItemPart, { campaign }: BookingDraft): TemplateResult => {
    const end = parseEndDate(textOf(item.fields['end_date']) || textOf(campaign.fields['end_date'])) ?? 0;
    const endsLater = end > (parseEndDate(known.to) ?? Infinity);
    return html`<div class=${asked.isOutdated() ? 'stale' : ''}>
      <p class="forecast-head"><b>${outcomeWords(known, { endsLater })}</b> <span>${rangeWords(known.delivery)}</span></p>
      ${forecastBar(known)} ${supplyFigures(known)} ${bindingLine(known)} ${displaced(known)}
      ${models.render(known, textOf(campaign.fields['publisher_id']))} ${remedyButtons(known, apply)} ${warningLine(known)}
    </div>`;
  };
  const body = (): TemplateResult => {
    const draft = desk().draft();
    const item = itemOf(draft);
    if (!item) return html`<p class="help">${t`There is no line item yet.`}</p>`;
    const why = missing(draft, item);
    if (why !== '') return html`<p class="help">${why}</p>`;
    const [known, reason, problem] = [asked.known(), asked.reason(), asked.problem()];
    if (problem) return html`<p class="help">${problem.errors[0]?.detail ?? problem.detail}</p>`;
    if (reason !== undefined) return html`<p class="help">${say(reason)}.</p>`;
    return known ? figures(known, item, draft) : html`<div class="forecast-bar" aria-hidden="true"></div>`;
  };
  return {
    render: () => {
      if (!may) return nothing;
      notice();
      return card(
        t`Forecast`,
        html`<div class="forecast" aria-busy=${String(asked.isOutdated() || asked.progress() !== undefined)}>
          ${body()} ${basisLine(asked)}
          ${applied?.of === current ? html`<p class="forecast-applied">${t`Applied: ${applied.words}.`} ${button(t`Undo`, undo, 'quiet')}</p>` : nothing}
        </div>`,
        choice(desk().draft()),
      );
    },
    leave: () => {
      clearTimeout(timer);
      asked.stop();
    },
  };
};
