import type { Knex } from 'knex';
import { EVERYTHING, type Scope } from '../access/scope.ts';
import type { Fault } from '../base/fault.ts';
import { parseUrl } from '../base/parse-url.ts';
import type { PlacementFormats } from '../catalog/checks/rules.ts';
import { MAX_PLACEMENTS_OF_CREATIVE } from '../catalog/entities/creative.ts';
import { MAX_BLOCKED_ADVERTISERS } from '../catalog/entities/parts.ts';
import { missingFiles } from '../uploads/missing-files.ts';
import { MAX_ID } from '../base/schema.ts';
import { companionFaults } from './companion-faults.ts';
import { ENTITY_KINDS, type EntityKind, type EntityRecord } from './entity-kind.ts';
import { onlyVisible } from './record-scope.ts';

export interface CheckedReferences {
  readonly faults: readonly Fault[];
  /** The placements that a creative refers to. */
  readonly placements: readonly ReferredPlacement[];
}

/** A placement as a creative's checks need it. */
export interface ReferredPlacement extends PlacementFormats {
  readonly width: number;
  readonly height: number;
}

/**
 * Checks that each parent and each blocked advertiser of a record exists, that the placements and the line item of a creative
 * belong to the same publisher, as do the targeting and the campaign of a line item, and that the uploaded files in its content are stored. Malformed ids
 * are left to the schema. What is not seen in the scope of who writes does not exist for them; what `before` named stays.
 */
export const checkReferences = async (
  trx: Knex.Transaction,
  kind: EntityKind,
  input: EntityRecord,
  scope: Scope,
  before?: EntityRecord,
): Promise<CheckedReferences> => {
  const faults: Fault[] = [];
  const placements: (PlacementRow & { readonly pointer: string })[] = [];
  let lineItem: EntityRecord | undefined;
  let campaign: EntityRecord | undefined;
  let targeting: EntityRecord | undefined;
  const { parents } = kind;
  for (const { field, table, list } of parents) {
    const several = list && input[list.field];
    const named: readonly (readonly [string, unknown])[] = Array.isArray(several)
      ? several.slice(0, MAX_PLACEMENTS_OF_CREATIVE).map((id, i) => [`/${list?.field}/${i}`, id])
      : [[`/${field}`, input[field]]];
    for (const [pointer, id] of named) {
      if (!isWellFormed(ENTITY_KINDS[table], id)) continue;
      const sees = !list && id === before?.[field] ? EVERYTHING : scope;
      const parent = (await onlyVisible(trx(table).where({ id }), table, sees).first()) as EntityRecord | undefined;
      if (!parent) faults.push({ pointer, detail: list ? `${id} does not exist` : `refers to ${table} ${id}, which does not exist` });
      else if (table === 'placements') placements.push({ ...(parent as unknown as PlacementRow), pointer });
      else if (table === 'line_items') lineItem = parent;
      else if (table === 'campaigns') campaign = parent;
      else if (table === 'targetings') targeting = parent;
    }
  }
  if (lineItem?.['type'] === 'direct' && (input['format'] === 'video' || input['format'] === 'audio') && isEmptyObject(input['content']))
    faults.push({ pointer: '/content', detail: 'must have media, or a tag of another server: only bidders supply them with each bid' });
  const loop = placementOfOwnTag(input['content'], placements);
  if (loop !== undefined)
    faults.push({
      pointer: '/content',
      detail: `has the tag of placement ${loop}, where it runs itself: its wrapper would lead back to it`,
    });
  const listed = await listedPlacements(trx, input['placement_ids'], kind, scope, before);
  faults.push(...listed.faults);
  if (campaign) faults.push(...(await foreignPlacements(trx, listed.placements, campaign['id'] as number)));
  if (targeting && campaign) faults.push(...targetingOfOther(targeting, campaign));
  if (lineItem) faults.push(...(await foreignPlacements(trx, placements, lineItem['campaign_id'] as number)));
  for (const { field, table } of parents)
    if ((table === 'publishers' || table === 'advertisers') && scope[table] && (input[field] ?? null) === null)
      faults.push({ pointer: `/${field}`, detail: `must be one of your ${table}: your access is for some` });
  faults.push(...(await missingAdvertisers(trx, input[BLOCKED_ADVERTISERS], scope)));
  faults.push(...(await companionFaults(trx, kind, input, lineItem, before)));
  faults.push(...(await missingFiles(trx, '/content', input['content'])));
  for (const pictures of ['page_pictures', 'screenshots'])
    faults.push(...(await missingFiles(trx, `/${pictures}`, JSON.stringify(input[pictures]))));
  return { faults, placements };
};

/** The placement of a creative whose tag asks for an ad of that placement; undefined: there is none. */
const placementOfOwnTag = (content: unknown, placements: readonly { readonly id: string }[]): string | undefined => {
  const [, tag] = (typeof content === 'string' && /"tag"\s*:\s*"([^"]*)"/.exec(content)) || [];
  const url = tag === undefined ? undefined : parseUrl(tag);
  if (!url) return undefined;
  const { pathname, searchParams } = url;
  return /\/v(ast|map)$/.test(pathname) ? placements.find(({ id }) => id === searchParams.get('placement'))?.id : undefined;
};

const isEmptyObject = (text: unknown): boolean => typeof text === 'string' && /^\s*\{\s*\}\s*$/.test(text);

/** The placements that a line item names; a creative has its own as parents. */
const listedPlacements = async (
  trx: Knex.Transaction,
  listed: unknown,
  { table }: EntityKind,
  scope: Scope,
  before: EntityRecord | undefined,
): Promise<{ readonly placements: readonly (PlacementRow & { readonly pointer: string })[]; readonly faults: readonly Fault[] }> => {
  if (table !== 'line_items' || !Array.isArray(listed) || listed.length > MAX_PLACEMENTS_OF_CREATIVE) return { placements: [], faults: [] };
  const ids = listed.filter((id: unknown) => typeof id === 'string');
  if (ids.length === 0) return { placements: [], faults: [] };
  const had = new Set((before?.['placement_ids'] as readonly string[] | undefined) ?? []);
  const [rows, seen] = await Promise.all([
    trx('placements').whereIn('id', ids).select<PlacementRow[]>(),
    onlyVisible(trx('placements').whereIn('id', ids), 'placements', scope).pluck<string[]>('id'),
  ]);
  const placements = ids.flatMap((id) => {
    const row = rows.find((one) => one.id === id && (had.has(id) || seen.includes(id)));
    return row ? [{ ...row, pointer: `/placement_ids/${listed.indexOf(id)}` }] : [];
  });
  const faults = ids.flatMap((id) =>
    placements.some((row) => row.id === id) ? [] : [{ pointer: `/placement_ids/${listed.indexOf(id)}`, detail: `${id} does not exist` }],
  );
  return { placements, faults };
};

const targetingOfOther = (targeting: EntityRecord, campaign: EntityRecord): readonly Fault[] => {
  const pointer = '/targeting_id';
  if (targeting['publisher_id'] !== campaign['publisher_id'])
    return [{ pointer, detail: `targeting ${String(targeting['id'])} is of another publisher than the campaign` }];
  return targeting['archived'] === true ? [{ pointer, detail: `targeting ${String(targeting['id'])} is archived` }] : [];
};

/** The field of publishers and placements. */
const BLOCKED_ADVERTISERS = 'blocked_advertiser_ids';

const missingAdvertisers = async (trx: Knex.Transaction, listed: unknown, scope: Scope): Promise<readonly Fault[]> => {
  if (!Array.isArray(listed) || listed.length > MAX_BLOCKED_ADVERTISERS) return [];
  const ids = listed.filter((id: unknown) => isWellFormed(ENTITY_KINDS.advertisers, id));
  if (ids.length === 0) return [];
  const rows = await onlyVisible(trx('advertisers').whereIn('id', ids), 'advertisers', scope).select<{ id: number }[]>('id');
  const known = new Set<unknown>(rows.map(({ id }) => id));
  return listed.flatMap((id: unknown, i) =>
    isWellFormed(ENTITY_KINDS.advertisers, id) && !known.has(id)
      ? [{ pointer: `/${BLOCKED_ADVERTISERS}/${i}`, detail: `${String(id)} does not exist` }]
      : [],
  );
};

interface PlacementRow extends ReferredPlacement {
  readonly publisher_id: number | null;
}

/** A fault for each placement of another publisher than that of the campaign. */
const foreignPlacements = async (
  trx: Knex.Transaction,
  placements: readonly (PlacementRow & { readonly pointer: string })[],
  campaignId: number,
): Promise<readonly Fault[]> => {
  const own = await trx('campaigns').where({ id: campaignId }).first<{ publisher_id: number }>('publisher_id');
  const foreign = placements.filter(({ publisher_id }) => publisher_id !== null && publisher_id !== own.publisher_id);
  if (foreign.length === 0) return [];
  const ids = [own.publisher_id, ...foreign.map(({ publisher_id }) => publisher_id)];
  const publishers = await trx('publishers').whereIn('id', ids).select<{ id: number; name: string }[]>('id', 'name');
  const nameOf = (id: number | null): string => `${publishers.find((publisher) => publisher.id === id)?.name} (publisher ${id})`;
  return foreign.map(({ id, publisher_id, pointer }) => ({
    pointer,
    detail: `${id} belongs to ${nameOf(publisher_id)}, the line item to ${nameOf(own.publisher_id)}`,
  }));
};

/** Whether Postgres can compare the value with an id. */
const isWellFormed = ({ namedByClient }: EntityKind, id: unknown): id is string | number =>
  namedByClient ? typeof id === 'string' : Number.isInteger(id) && Math.abs(id as number) <= MAX_ID;
