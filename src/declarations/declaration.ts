import { Unsafe } from '@sinclair/typebox';
import { component } from '../api/component.ts';
import * as s from '../base/schema.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { pascalCase } from '../bookings/entity-components.ts';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';
import { DECLARED_FIELDS } from './declared-fields.ts';

/** The form of declarations, which a file names. */
export const DECLARATION_VERSION = 1;

/** What a declaration says of a publisher's bookings: records within what they are a part of. */
export interface Declaration {
  readonly version?: number;
  /** The installation that ids are of. Keys mean the same everywhere. */
  readonly installation?: string;
  readonly publisher: object;
  readonly advertisers?: readonly object[];
  readonly bidders?: readonly object[];
  readonly placements?: readonly object[];
  readonly targetings?: readonly object[];
  readonly campaigns?: readonly object[];
}

const KEY = s.optional(
  s.textOf({ minLength: 1, maxLength: 128, description: 'its external key, by which the record is found again, here and elsewhere' }),
);
const ID = s.optional(
  s.integerOf({ minimum: 1, description: 'its id in the installation that the declaration names; with `key`, it gets that key' }),
);
const reference = (table: EntityTable) =>
  ENTITY_KINDS[table].namedByClient
    ? s.textOf({ description: 'its id' })
    : Unsafe<string | number>({
        type: ['string', 'integer'],
        description: `the external key of the ${ENTITY_KINDS[table].words}, or its id where it has none`,
      });

const declaredSchema = (table: EntityTable, children: Readonly<Record<string, s.Schema>> = {}) => {
  const fields = DECLARED_FIELDS[table].map(({ name, schema, refersTo, isList }) => {
    if (refersTo === undefined) return [name, s.optional(schema)] as const;
    return [name, s.optional(isList ? s.listOf(reference(refersTo)) : s.nullOr(reference(refersTo)))] as const;
  });
  const own = ENTITY_KINDS[table].namedByClient ? { key: KEY } : { key: KEY, id: ID };
  const open = table === 'placements' ? { open: s.optional(s.described(s.boolean, 'true: of all publishers')) } : {};
  return s.closedRecord({ ...own, ...Object.fromEntries(fields), ...open, ...children });
};

const declared = (table: EntityTable, children: Readonly<Record<string, s.Schema>>, example: object) =>
  component(`Declared${pascalCase(ENTITY_KINDS[table].name)}`, Unsafe<object>(declaredSchema(table, children)), example);

const CREATIVE_EXAMPLE = { key: 'boots-red', placements: ['front-page-top'], format: 'html', content: '<p>Boots</p>' };
const LINE_ITEM_EXAMPLE = {
  ...{ key: 'boots-sport', name: 'Boots, sport readers', start_date: '2026-12-01', end_date: '2026-12-21' },
  ...{ budget_type: 'CPM', cpm: 4.5, active: true, creatives: [CREATIVE_EXAMPLE] },
};
const CAMPAIGN_EXAMPLE = {
  ...{ key: 'boots-winter', name: 'Boots, winter', advertiser: 'boots', start_date: '2026-12-01', end_date: '2026-12-21' },
  line_items: [LINE_ITEM_EXAMPLE],
};
const creative = declared('creatives', {}, CREATIVE_EXAMPLE);
const lineItem = declared('line_items', { creatives: s.optional(s.listOf(creative)) }, LINE_ITEM_EXAMPLE);
const PUBLISHER_EXAMPLE = { key: 'gazette', name: 'The Gazette', domain: 'gazette.example' };
const PLACEMENT_EXAMPLE = { id: 'front-page-top', width: 300, height: 250, formats: ['html'] };
const TARGETING_EXAMPLE = { key: 'sport-dach', name: 'Sport, DACH', targeting: { countries: ['DE', 'AT', 'CH'] } };
const ADVERTISER_EXAMPLE = { key: 'boots', name: 'Boots of the North' };

export const DECLARATION_EXAMPLE = {
  ...{ version: DECLARATION_VERSION, publisher: PUBLISHER_EXAMPLE, advertisers: [ADVERTISER_EXAMPLE] },
  ...{ placements: [PLACEMENT_EXAMPLE], campaigns: [CAMPAIGN_EXAMPLE] },
};

/** What a JSON body of a declaration looks like. */
export const DECLARATION = component(
  'Declaration',
  Unsafe<Declaration>(
    s.closedRecord({
      version: s.optional(s.integerOf({ minimum: DECLARATION_VERSION, maximum: DECLARATION_VERSION, default: DECLARATION_VERSION })),
      installation: s.optional(s.textOf({ maxLength: 64, description: 'what ids are of; not needed where every record has a key' })),
      publisher: declared('publishers', {}, PUBLISHER_EXAMPLE),
      advertisers: s.optional(s.listOf(declared('advertisers', {}, ADVERTISER_EXAMPLE))),
      bidders: s.optional(
        s.listOf(declared('bidders', {}, { key: 'exchange', name: 'Exchange', endpoint: 'https://exchange.example/openrtb' })),
      ),
      placements: s.optional(s.listOf(declared('placements', {}, PLACEMENT_EXAMPLE))),
      targetings: s.optional(s.listOf(declared('targetings', {}, TARGETING_EXAMPLE))),
      campaigns: s.optional(s.listOf(declared('campaigns', { line_items: s.optional(s.listOf(lineItem)) }, CAMPAIGN_EXAMPLE))),
    }),
  ),
  DECLARATION_EXAMPLE,
);
