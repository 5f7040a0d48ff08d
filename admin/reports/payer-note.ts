import { html, nothing, type TemplateResult } from 'lit-html';
import type { PayerChange } from '../../src/reports/payer-changes.ts';
import { moment } from '../words/dates.ts';
import { t } from '../words/texts.ts';

const named = (id: number | null, name: string | null): string => (id === null ? t`no advertiser` : (name ?? t`advertiser ${id}`));

/** Since when others pay for campaigns: figures before that stay with who paid then. */
export const payerNote = (changes: readonly PayerChange[]): TemplateResult | typeof nothing =>
  changes.length === 0
    ? nothing
    : html`<div class="note">
        <ul>
          ${changes.map(
            ({ at, campaign_id, campaign, from_advertiser_id: from, from_advertiser, to_advertiser_id: to, to_advertiser }) =>
              html`<li>
                ${t`${campaign ?? t`Campaign ${campaign_id}`}: ${named(to, to_advertiser)} pays since ${moment(at)},
                ${named(from, from_advertiser)} before. What was counted before stays there.`}
              </li>`,
          )}
        </ul>
      </div>`;
