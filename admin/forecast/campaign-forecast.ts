import { html, nothing } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { CourseForecast } from '../delivery/course/course-card.ts';
import type { Page } from '../page.ts';
import { date } from '../words/dates.ts';
import { t } from '../words/texts.ts';
import { rangeWords } from './forecast-words.ts';

/** What the line items of a campaign are expected to deliver together, for the course of its flight. */
export const createCampaignForecast = (page: Page, id: number): ((endDate: string) => CourseForecast) => {
  let known: Answered<'GET', '/campaigns/{id}/forecast'> | undefined;
  const read = async (): Promise<void> => {
    const answer = await page.api.get('/campaigns/{id}/forecast', { id });
    // Without it the course of the last days says how it will end.
    if (answer.ok && answer.value.p90 > 0) known = answer.value;
    page.redraw();
  };
  if (page.rights.may('GET', '/campaigns/{id}/forecast')) void read();
  return (endDate) => ({
    words: known
      ? html`<p class="course-end">
          ${t`Its line items are expected to deliver ${rangeWords(known)} impressions more by ${date(lastDayOf(known, endDate))}.`}
        </p>`
      : nothing,
    delivery: known,
  });
};

/** A forecast goes on for its days, also after a flight has ended. */
const lastDayOf = ({ by_day: days }: Answered<'GET', '/campaigns/{id}/forecast'>, endDate: string): string => {
  const [last, end] = [days.at(-1)?.day ?? '', endDate.slice(0, 10)];
  return end < last ? end : last;
};
