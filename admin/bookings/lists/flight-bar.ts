import { html, type TemplateResult } from 'lit-html';
import { dayOf } from '../../../src/base/utc-day.ts';
import { flight, type FlightDates } from '../../words/dates.ts';
import { count } from '../../words/formats.ts';
import { t } from '../../words/texts.ts';

/** A flight that goes on longer has no end that anyone waits for. */
const LONG_DAYS = 730;

/** The part of a flight that is over, as a bar, and how many days are left. */
export const flightBar = (dates: FlightDates): TemplateResult => {
  const [first, last, today] = [dayOf(Date.parse(dates.start_date)), dayOf(Date.parse(dates.end_date)), dayOf(Date.now())];
  const over = Math.max(0, Math.min(1, (today - first) / Math.max(1, last - first + 1)));
  const words =
    today < first
      ? t`in ${count(first - today)} d`
      : today > last
        ? t`over`
        : last - today > LONG_DAYS
          ? t`open`
          : t`${count(last - today + 1)} d left`;
  return html`<span class="progress" title=${flight(dates)}>
    <span class="bar calm" role="img" aria-label=${flight(dates)}
      ><span class="used" .style=${`width:${100 * (today > last ? 1 : over)}%`}></span
    ></span>
    <small>${words}</small>
  </span>`;
};
