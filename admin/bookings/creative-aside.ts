import { html, nothing, type TemplateResult } from 'lit-html';
import type { CreativeWire } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { button, card, pill } from '../parts/parts.ts';
import { createProofCard } from '../proofing/proof-card.ts';
import { t } from '../words/texts.ts';
import { mayJudge, setBlocked, setStatus } from './actions.ts';
import { createCreativeChecks } from './creative-checks.ts';
import { createCreativePreview } from './creative-preview.ts';
import type { Form } from './forms/form.ts';
import { creativeState } from './list-columns.ts';

/** Beside the form of a creative: how it looks, whether it serves, and what its advertiser says. @param id undefined: of a new one */
export const createCreativeAside = (page: Page, form: Form, id: number | undefined): (() => TemplateResult) => {
  const preview = createCreativePreview(page, form);
  const checks = createCreativeChecks(page, form);
  const proof = id === undefined ? undefined : createProofCard(page, id);
  const again = (): void => page.go(location.hash, { saved: true });
  const state = (record: CreativeWire): TemplateResult =>
    card(
      t`State`,
      html`<p>${pill(creativeState(page.store, record))}</p>
        ${
          record.status === 'pending' && mayJudge(page)
            ? html`${button(t`Approve`, () => setStatus(page, record.id, 'approved').then(again))}
              ${button(t`Reject`, () => setStatus(page, record.id, 'rejected').then(again), 'secondary')} `
            : nothing
        }${
          page.rights.may('POST', '/creatives/{id}/block')
            ? button(
                record.blocked_at ? t`Unblock` : t`Block`,
                () => setBlocked(page, record.id, !record.blocked_at).then(again),
                'secondary',
              )
            : nothing
        }`,
    );
  return () => {
    const record = id === undefined ? undefined : page.store.find('creatives', id);
    return html`<aside class="form-aside preview-aside">${preview()} ${checks()} ${record ? state(record) : nothing} ${proof?.()}</aside>`;
  };
};
