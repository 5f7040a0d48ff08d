import { html, nothing, type TemplateResult } from 'lit-html';
import { dateOfDay } from '../../../src/base/utc-day.ts';
import { table, unbroken } from '../../parts/table.ts';
import { actorName } from '../../words/actor-name.ts';
import { date, moment } from '../../words/dates.ts';
import { count, money } from '../../words/formats.ts';
import { t } from '../../words/texts.ts';
import type { CourseMark } from './course-marks.ts';
import type { CourseDay } from './flight-course.ts';

const MAX_LISTED = 8;

/** What was delivered on each day of a flight. */
export const courseDays = (
  days: readonly (CourseDay & { readonly revenue: number })[],
  currency: string,
): TemplateResult | typeof nothing =>
  days.length === 0
    ? nothing
    : html`<details>
        <summary>${t`By day`}</summary>
        ${table({
          caption: t`The flight by day`,
          rows: days,
          columns: [
            { label: t`Day`, cell: ({ day }) => unbroken(date(day)) },
            { label: t`Impressions`, numeric: true, cell: ({ impressions }) => count(impressions) },
            { label: t`Revenue`, numeric: true, cell: ({ revenue }) => money(revenue, currency) },
          ],
        })}
      </details>`;

/** The last of what was changed and noted. */
export const markList = (marks: readonly CourseMark[]): TemplateResult | typeof nothing =>
  marks.length === 0
    ? nothing
    : html`<details>
        <summary>${t`Changes and notes during the flight`}</summary>
        <ul class="course-marks">
          ${marks.slice(-MAX_LISTED).map(({ at, day, actor, words, isNote }) => html`<li><span>${isNote ? date(dateOfDay(day)) : moment(at)}</span> ${words} <small>${actorName(actor)}</small></li>`)}
        </ul>
      </details>`;
