import { recordId } from '../../base/schema.ts';
import { defineEntity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
import { ARCHIVED, EXTERNAL_KEY, ID, nameSchema, objectOf } from './parts.ts';
import { TARGETING } from './targeting.ts';

export const NAMED_TARGETING = defineEntity({
  one: 'targeting',
  many: 'Targetings',
  fields: {
    id: ID,
    publisher_id: {
      schema: recordId,
      parent: 'publishers',
      fixed: 'at creation',
      view: ['publisherId', 'owner'],
      form: { label: 'Publisher' },
    },
    name: { schema: nameSchema, view: ['name', 'text'], form: { label: 'Name', placeholder: 'Sport, DACH' } },
    targeting: { schema: objectOf(TARGETING, { default: {} }), stored: 'json', members: TARGETING },
    external_key: EXTERNAL_KEY,
    archived: ARCHIVED,
  },
  about: 'Rules that many line items share. A change applies to all of them.',
  list: { columns: ['publisher_id'], searched: ['name', 'external_key'], sorted: ['id', 'name', 'publisher_id'] },
  sections: [
    {
      title: 'Targeting',
      text: 'Line items that name it must meet these rules besides their own.',
      fields: ['name', 'publisher_id', 'external_key', 'archived'],
    },
    {
      title: 'Rules',
      text: 'A visitor must match every rule; one value of a rule is enough.',
      fields: ['targeting'],
    },
  ],
});
export type NamedTargetingRecord = RecordOf<(typeof NAMED_TARGETING)['fields']>;
