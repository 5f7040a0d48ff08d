import { hashOf } from '../route.ts';
import type { Store } from '../service/store.ts';
import type { Kind, Records } from '../service/wire.ts';
import { NAMES } from '../words/kinds.ts';
import { fieldsOf } from './entity-fields.ts';

/** A suggestion, and the address of its form. */
export interface NextStep {
  readonly text: string;
  readonly label: string;
  readonly hash: string;
}

/**
 * The record that must exist before one of this kind can be created; undefined: nothing is missing.
 */
export const missingParent = (kind: Kind, store: Store): NextStep | undefined => {
  const { one } = NAMES[kind];
  for (const { required, description } of fieldsOf(kind)) {
    const { parent } = description;
    if (!parent || !required || store.all(parent).length > 0) continue;
    const needed = NAMES[parent].one;
    return { text: `A ${one} needs a ${needed}, and there is none yet.`, label: `Add a ${needed}`, hash: hashOf([parent, 'new']) };
  }
  return undefined;
};

/** What to do after a record was created. */
export const nextStep = <K extends Kind>(kind: K, record: Records[K], store: Store): NextStep | undefined => NEXT[kind](record, store);

const NEXT: { readonly [K in Kind]: (record: Records[K], store: Store) => NextStep | undefined } = {
  publishers: ({ id }, store) =>
    store.all('placements').length === 0
      ? { text: 'Next: add a place for ads on its pages.', label: 'Add a placement', hash: hashOf(['placements', 'new']) }
      : { text: 'Next: book a campaign for it.', label: 'Add a campaign', hash: hashOf(['campaigns', 'new'], { publisher_id: id }) },
  placements: (_, store) => {
    const [publisher] = store.all('publishers');
    if (store.all('campaigns').length > 0) return undefined;
    return publisher
      ? { text: 'Next: book a campaign.', label: 'Add a campaign', hash: hashOf(['campaigns', 'new'], { publisher_id: publisher.id }) }
      : { text: 'Next: add the publisher of the page.', label: 'Add a publisher', hash: hashOf(['publishers', 'new']) };
  },
  campaigns: ({ id }) => ({
    text: 'Next: add what runs in it, and its price.',
    label: 'Add a line item',
    hash: hashOf(['line_items', 'new'], { campaign_id: id }),
  }),
  line_items: ({ id }) => ({
    text: 'Next: add a creative. Without one it cannot serve.',
    label: 'Add a creative',
    hash: hashOf(['creatives', 'new'], { line_item_id: id }),
  }),
  creatives: ({ placement_id, line_item_id }) => ({
    text: 'It is live. See it served:',
    label: 'Test an ad',
    hash: hashOf(['test'], { placement_id, line_item_id }),
  }),
};
