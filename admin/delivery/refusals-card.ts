import { html, nothing, type TemplateResult } from 'lit-html';
import type { Refusals, RefusalRow, Remedy } from '../../src/delivery/refusals/refusals.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf } from '../route.ts';
import { refusalWord } from '../words/refusal-word.ts';
import { counted, linkTo } from '../words/kinds.ts';
import { count, percent } from '../words/formats.ts';
import { patchRecord } from '../bookings/actions.ts';
import { say, t } from '../words/texts.ts';

/** Parts of the bar, which have their own colors; the rest is one part. */
const PARTS = 4;

/** Why a line item was not shown today, what was shown instead, and what would help. */
export const createRefusalsCard = (page: Page, id: number) => {
  const { rights } = page;
  const may = rights.may('GET', '/line_items/{id}/refusals');
  const reading = createReading(page, (api) => api.get('/line_items/{id}/refusals', { id }), { keep: true, may });
  const apply = async (remedy: Remedy): Promise<void> => {
    const sure = await page.confirm({ title: `${remedy.label}?`, text: t`It applies to the next requests.`, yes: t`Change it` });
    if (sure && (await patchRecord(page, remedy.table, remedy.id, remedy.patch, t`${remedy.label}: done.`))) page.go(location.hash);
  };
  const row = ({ reason, words, share, impressions, outranked_by, remedy }: RefusalRow, part: number): TemplateResult =>
    html`<li class="refusal">
      <span class="swatch part-${Math.min(part, PARTS)}" aria-hidden="true"></span>
      <p>
        <strong>${shareWords(share)} ${refusalWord(reason)}</strong>
        <span class="muted">${counted(impressions, 'impression')}: ${say(words)}</span>
        ${
          outranked_by.length > 0
            ? html`<span class="rivals"
                >${t`Shown instead:`}
                ${outranked_by.map(
                  ({ line_item_id, line_item, impressions: times }, i) =>
                    html`${i > 0 ? ', ' : ''}<a href=${linkTo('line_items', line_item_id)}>${line_item ?? t`#${line_item_id}, deleted`}</a>
                      (${count(times)})`,
                )}</span
              >`
            : nothing
        }
      </p>
      ${
        remedy && rights.may('PATCH', `/${remedy.table}/{id}`)
          ? button(say(remedy.label), () => apply(remedy), 'secondary')
          : reason === 'size_or_format' && rights.may('POST', '/creatives')
            ? html`<a role="button" class="secondary" href=${hashOf(['creatives', 'new'], { line_item_id: id })}
                >${t`Add a creative that fits`}</a
              >`
            : nothing
      }
    </li>`;
  const show = ({ lost, off_target, reasons }: Refusals): TemplateResult =>
    lost === 0
      ? html`<p class="muted">${off_target > 0 ? t`No impression was lost. ${notForIts(off_target)}` : t`No impression was lost.`}</p>`
      : html`<div class="refusal-bar" role="img" aria-label=${summaryOf(reasons)}>
            ${reasons.map(({ share }, i) => html`<span class="part-${Math.min(i, PARTS)}" .style=${`width:${100 * share}%`}></span>`)}
          </div>
          <ul class="refusals">
            ${reasons.map(row)}
          </ul>
          <p class="muted">
            ${t`Of ${counted(lost, 'impression')} that it could have had.${off_target > 0 ? ` ${notForIts(off_target)}` : ''}`}
          </p>`;
  return { load: reading.load, render: () => (may ? card(t`Lost today`, html`${reading.render(show)}`) : html``) };
};

const notForIts = (impressions: number): string =>
  `${counted(impressions, 'other was not for its visitors', 'others were not for its visitors')}.`;

const summaryOf = (reasons: readonly RefusalRow[]): string =>
  reasons.map(({ reason, share }) => `${shareWords(share)} ${refusalWord(reason)}`).join(', ');

/** In whole percent. */
const shareWords = (share: number): string => (share < 0.005 ? t`under 1%` : percent(Math.round(share * 100) / 100));
