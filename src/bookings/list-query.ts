import { EVERYTHING, type Scope } from '../access/scope.ts';
import type { Fault } from '../base/fault.ts';
import { integer, oneOf, text, type Schema } from '../base/schema.ts';
import {
  accept,
  choiceOr,
  choiceQuery,
  choicesQuery,
  pageQuery,
  query,
  readParameters,
  reject,
  repeated,
  textQuery,
  type Parameter,
  type Parameters,
  type ValuesOf,
} from '../api/parameters.ts';
import { ancestorsOf, readEntityId, type EntityKind } from './entity-kind.ts';
import { ARCHIVED_QUERIES, MAX_LISTED, type ListQuery, type Sort } from './entity-reader.ts';
import { LIST_FIELDS } from './list-fields.ts';

/** Parameters `id` of a list. */
export const MAX_IDS = 200;
/** Ids begin at 1: what a client asks for that can be no id is in no record. */
export const NO_ID = -1;

type Id = string | number;

/** The schema of an id. */
const idSchema = ({ namedByClient }: EntityKind): Schema => (namedByClient ? text : integer);

const idOf =
  (kind: EntityKind) =>
  (word: string): { readonly ok: true; readonly value: Id } => ({ ok: true, value: readEntityId(kind, word) ?? NO_ID });

/** `name` is ascending, `-name` descending. */
const sortQuery = ({ table }: EntityKind): Parameter<Sort> => {
  const known = Object.keys(LIST_FIELDS[table].sorts);
  const schema = oneOf(
    known.flatMap((by) => [by, `-${by}`]),
    { default: 'id' },
  );
  return {
    ...{ in: 'query', required: false, schema },
    description: 'What the list is ordered by; with `-` in front, the largest first. Records without a value are last',
    read: ([word = 'id']) => {
      const by = word.replace(/^-/, '');
      if (known.includes(by)) return accept({ by, order: word.startsWith('-') ? 'desc' : 'asc' });
      return reject(`must be one of ${known.join(', ')}, with - in front to begin with the largest`);
    },
  };
};

const commonParameters = (kind: EntityKind) => ({
  q: textQuery(
    `Only records with each of these words in their ${LIST_FIELDS[kind.table].searchWords}, or as their id, or in what they belong to`,
  ),
  id: repeated(idOf(kind), { schema: idSchema(kind), max: MAX_IDS, description: 'Only these records' }),
  sort: sortQuery(kind),
  archived: choiceOr('false', ARCHIVED_QUERIES, 'Archived records: left out, listed too, or listed alone'),
  include: choiceQuery(['children'], 'Adds how many records belong to each directly, without archived ones'),
  ...pageQuery({ default: MAX_LISTED, max: MAX_LISTED }),
});

const parentParameters = (kind: EntityKind): Parameters =>
  Object.fromEntries(
    ancestorsOf(kind).map((parent) => [parent.reference, query(idSchema(parent), `Only records of this ${parent.words}`, idOf(parent))]),
  );

const filterParameters = ({ table }: EntityKind): Parameters =>
  Object.fromEntries(
    Object.entries(LIST_FIELDS[table].filters).map(([name, { values }]) => [
      name,
      choicesQuery(values, 'Only records with one of these, separated by commas'),
    ]),
  );

/** Of lists whose records can be grouped. */
const groupParameter = ({ table }: EntityKind): Parameters => {
  const names = Object.keys(LIST_FIELDS[table].groups);
  return names.length === 0
    ? {}
    : { group_by: choiceQuery(names, 'Records of one of these together, by its name; `sort` is the order within') };
};

type ListValues = Omit<ValuesOf<ReturnType<typeof commonParameters>>, 'include'>;

/** What GET of a list takes, beside the parameters that the entity names. */
export const listParameters = (kind: EntityKind): ReturnType<typeof commonParameters> => ({
  ...parentParameters(kind),
  ...commonParameters(kind),
  ...filterParameters(kind),
  ...groupParameter(kind),
});

/** The query of a list, from the values of its parameters, in the scope of a caller. */
export const toListQuery = (
  kind: EntityKind,
  scope: Scope,
  { q = '', id, sort, archived, limit, offset, ...others }: ListValues,
): ListQuery => {
  const named = others as Readonly<Record<string, unknown>>;
  const parents = ancestorsOf(kind).flatMap(({ table, reference }) => {
    const parent = named[reference] as Id | undefined;
    return parent === undefined ? [] : [{ table, id: parent }];
  });
  const filters = Object.keys(LIST_FIELDS[kind.table].filters).flatMap((name) => {
    const wanted = named[name] as readonly string[] | undefined;
    return wanted === undefined ? [] : [[name, wanted] as const];
  });
  const groupBy = named['group_by'] as string | undefined;
  return { limit, offset, text: q, archived, parents, ids: id, filters: Object.fromEntries(filters), sort, groupBy, scope };
};

/** The query of a list as text, such as a saved view has it. */
export const readListQuery = (
  kind: EntityKind,
  search: URLSearchParams,
): { readonly ok: true; readonly query: ListQuery } | { readonly ok: false; readonly faults: readonly Fault[] } => {
  const read = readParameters(listParameters(kind), (name) => search.getAll(name));
  return read.ok ? { ok: true, query: toListQuery(kind, EVERYTHING, read.values) } : read;
};
