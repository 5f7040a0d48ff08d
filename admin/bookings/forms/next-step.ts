import { html, nothing, type TemplateResult } from 'lit-html';
import type { Page } from '../../page.ts';
import { hashOf } from '../../route.ts';
import { mayOpen } from '../../screen-groups.ts';
import type { Store } from '../../api/store.ts';
import type { Kind, Records } from '../../api/wire.ts';
import { aOne, capital } from '../../words/kinds.ts';
import { fieldsOf } from './entity-fields.ts';
import { say, t } from '../../words/texts.ts';

/** A suggestion, and the address of its form. */
export interface NextStep {
  readonly text: string;
  readonly label: string;
  readonly hash: string;
}

/** To the form of a new record. `query`: what it begins with. */
export const addStep = (kind: Kind, text = '', query: Parameters<typeof hashOf>[1] = {}): NextStep => ({
  text,
  label: t`Add ${aOne(kind)}`,
  hash: hashOf([kind, 'new'], query),
});

/** A step that the person may take; undefined: they may not. */
export const allowed = ({ rights }: Page, step: NextStep | undefined): NextStep | undefined =>
  step && mayOpen(rights, step.hash) ? step : undefined;

/** A link to the form of a new record, for who may create one. */
export const addLink = (page: Page, step: NextStep, look = ''): TemplateResult | typeof nothing =>
  allowed(page, step)
    ? html`<a role=${look === '' ? nothing : 'button'} class=${look || nothing} href=${step.hash}>${step.label}</a>`
    : nothing;

/**
 * The record that must exist before one of this kind can be created; undefined: nothing is missing.
 */
export const missingParent = (kind: Kind, store: Store): NextStep | undefined => {
  for (const { required, parent } of fieldsOf(kind)) {
    if (!parent || !required || store.total(parent) > 0) continue;
    return addStep(parent, t`${capital(aOne(kind))} needs ${aOne(parent)}, and there is none yet.`);
  }
  return undefined;
};

/** What to do after a record was created. */
export const nextStep = <K extends Kind>(kind: K, record: Records[K], store: Store): NextStep | undefined => NEXT[kind]?.(record, store);

const NEXT: { readonly [K in Kind]?: (record: Records[K], store: Store) => NextStep | undefined } = {
  publishers: ({ id }, store) =>
    store.total('placements') === 0
      ? addStep('placements', t`Next: add a place for ads on its pages.`)
      : addStep('campaigns', t`Next: book a campaign for it.`, { publisher_id: id }),
  placements: (_, store) => {
    const [publisher] = store.first('publishers');
    if (store.total('campaigns') > 0) return undefined;
    return publisher
      ? addStep('campaigns', t`Next: book a campaign.`, { publisher_id: publisher.id })
      : addStep('publishers', t`Next: add the publisher of the page.`);
  },
  advertisers: ({ id }, store) => {
    const [publisher] = store.first('publishers');
    return publisher && addStep('campaigns', t`Next: book a campaign for it.`, { advertiser_id: id });
  },
  bidders: ({ id }, store) =>
    store.total('campaigns') === 0
      ? addStep('campaigns', t`Next: book a campaign for it.`)
      : addStep('line_items', t`Next: book what it may fill.`, { type: 'programmatic', bidder_id: id }),
  campaigns: ({ id }) => addStep('line_items', t`Next: add what runs in it, and its price.`, { campaign_id: id }),
  line_items: ({ id }) => addStep('creatives', t`Next: add a creative. Without one it cannot serve.`, { line_item_id: id }),
  creatives: ({ placement_id, line_item_id, status }) => ({
    text:
      status === 'approved' ? t`It is live. See it served:` : t`It is ${status === 'draft' ? t`a draft` : say(status)} and does not serve.`,
    label: t`Test an ad`,
    hash: hashOf(['test'], { placement_id, line_item_id }),
  }),
};
