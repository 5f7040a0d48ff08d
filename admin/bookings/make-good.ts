import { html, nothing, type TemplateResult } from 'lit-html';
import type { Delivery } from '../../src/delivery/delivery.ts';
import type { LineItemWire } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { button } from '../parts/parts.ts';
import { linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import { withFirstFault } from './actions.ts';

/** Creates a line item that carries what this one did not deliver, and opens it. */
const makeGood = async (page: Page, item: LineItemWire): Promise<void> => {
  const answer = await page.api.records.act('line_items', item.id, 'make_good');
  if (!answer.ok) return page.complain(withFirstFault(answer.problem));
  const { id, name } = answer.value;
  await page.store.refresh('line_items', 'creatives');
  const undo = async (): Promise<void> => {
    const gone = await page.api.records.remove('line_items', id, answer.etag);
    if (!gone.ok) return page.complain(gone.problem);
    await page.store.refresh('line_items', 'creatives');
    page.go(linkTo('line_items', item.id));
  };
  page.toast(t`“${name}” carries what is missing. It is paused: look at its dates, then resume it.`, {
    action: { label: t`Undo`, run: () => void undo() },
  });
  page.go(linkTo('line_items', id));
};

/** A button on a line item that ended, or was stopped, before its goal. */
export const makeGoodOffer = (page: Page, item: LineItemWire, { goals, status }: Delivery): TemplateResult | typeof nothing => {
  const isMissing = goals.some(({ goal, delivered }) => delivered < goal);
  const mayDeliver = item.active && !item.archived && status.value !== 'finished';
  if (!isMissing || mayDeliver || !page.rights.may('POST', '/line_items/{id}/make_good')) return nothing;
  return html`<p>${button(t`Make good what is missing`, () => makeGood(page, item), 'secondary')}</p>`;
};

/** The line item that this one makes good. */
export const makeGoodNote = ({ make_good_for: original }: LineItemWire): TemplateResult | typeof nothing =>
  original == null
    ? nothing
    : html`<p><a href=${linkTo('line_items', original)}>${t`It carries what line item #${original} did not deliver.`}</a></p>`;
