import { html, nothing, type TemplateResult } from 'lit-html';
import { groupBy } from '../../src/base/group-by.ts';
import type { OpenMonthWire } from '../../src/finance/finance-api.ts';
import { card } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { monthAndYear } from '../words/dates.ts';
import { count } from '../words/formats.ts';
import { t } from '../words/texts.ts';

/** Months of a publisher that are named; the oldest is closed first. */
const MAX_NAMED = 3;

/** The months that are over and not closed, a line for each publisher. */
export const openMonths = (open: readonly OpenMonthWire[]): TemplateResult => {
  const byPublisher = [...groupBy(open, ({ publisher_id: id }) => id).values()];
  return card(
    t`Still to close`,
    html`<ul class="needs" aria-label=${t`Months that are over and not closed`}>
      ${byPublisher.map(
        (months) =>
          html`<li>
            <span><b>${months[0]?.publisher}</b> <span class="muted">${monthsOf(months)}</span></span>
          </li>`,
      )}
    </ul>`,
  );
};

const monthsOf = (months: readonly OpenMonthWire[]): TemplateResult => {
  const named = months.toSorted((a, b) => a.month.localeCompare(b.month)).slice(0, MAX_NAMED);
  const last =
    months.length > MAX_NAMED
      ? months
          .map(({ month }) => month)
          .toSorted()
          .at(-1)
      : undefined;
  return html`${named.map(
    ({ publisher_id, month }, at) =>
      html`${at > 0 ? ', ' : nothing}<a href=${hashOf(['finance'], { publisher_id: String(publisher_id), month })}
          >${monthAndYear(month)}</a
        >`,
  )}${last === undefined ? nothing : t` and ${count(months.length - MAX_NAMED)} more, up to ${monthAndYear(last)}`}`;
};
