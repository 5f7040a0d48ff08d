import { IDS_A_BLOCK } from '../model/catalog-reading.ts';
import type { ChildEntities } from './entities.ts';
import type { EntityType } from './entity-type.ts';
import type { View } from './kinds.ts';
import { openSegment, type Segment } from './segment.ts';

/** Of the integers of a row: the id comes first, then that of the parent (entity-types.ts). */
const ID_AT = 0;
const PARENT_AT = 1;

/** A block of a table. Its memory is opened when something in it is first read. */
export interface StoredBlock {
  readonly buffer: SharedArrayBuffer;
  readonly rows: number;
  readonly segment: Segment;
  /** The least and the greatest id of a parent of its rows. */
  readonly parents: readonly [least: number, most: number];
}

export const storedBlock = (buffer: SharedArrayBuffer, rows: number): StoredBlock => {
  let opened: Segment | undefined;
  let parents: StoredBlock['parents'] | undefined;
  const open = (): Segment => (opened ??= openSegment(buffer));
  return {
    buffer,
    rows,
    get segment() {
      return open();
    },
    get parents() {
      return (parents ??= parentsIn(open()));
    },
  };
};

const parentsIn = ({ rows, i32 }: Segment): StoredBlock['parents'] => {
  const width = i32.length / rows;
  let [least, most] = [Infinity, -Infinity];
  for (let row = 0; row < rows; row++) {
    const parent = i32[row * width + PARENT_AT]!;
    least = Math.min(least, parent);
    most = Math.max(most, parent);
  }
  return [least, most];
};

/** Views of the rows of a table whose ids are numbers, made when they are asked for and not kept. */
export const entityTable = <E extends { readonly id: number }>(
  { view }: EntityType<E>,
  blocks: ReadonlyMap<number, StoredBlock>,
): ChildEntities<E & View> => {
  const segmentOf = (id: number): Segment | undefined => blocks.get(Math.floor(id / IDS_A_BLOCK))?.segment;
  const get = (id: number): (E & View) | undefined => {
    const segment = segmentOf(id);
    const row = segment === undefined ? -1 : rowOf(segment, id);
    return row < 0 ? undefined : view(segment as Segment, row);
  };
  function* values(): Generator<E & View> {
    for (const { segment } of blocks.values()) for (let row = 0; row < segment.rows; row++) yield view(segment, row);
  }
  const childrenOf = (parentId: number): readonly (E & View)[] => {
    const found: (E & View)[] = [];
    for (const { segment, parents } of blocks.values()) {
      if (parentId < parents[0] || parentId > parents[1]) continue;
      const { rows, i32 } = segment;
      const width = i32.length / rows;
      for (let row = 0; row < rows; row++) if (i32[row * width + PARENT_AT] === parentId) found.push(view(segment, row));
    }
    return found;
  };
  let size = 0;
  for (const { rows } of blocks.values()) size += rows;
  return {
    size,
    get,
    values,
    childrenOf,
    *keys() {
      for (const { id } of values()) yield id;
    },
  };
};

/** Objects of all rows, for tables that are few and read as a whole. */
export const entitiesIn = <E extends { readonly id: number | string }>(
  { view, copy }: EntityType<E>,
  blocks: Iterable<StoredBlock>,
): ReadonlyMap<E['id'], E> => {
  const found = new Map<E['id'], E>();
  for (const { segment } of blocks)
    for (let row = 0; row < segment.rows; row++) {
      const entity = copy(view(segment, row));
      found.set(entity.id, entity);
    }
  return found;
};

/** The row of an id, or -1. Ids ascend; without gaps the first guess is right. */
const rowOf = ({ rows, i32 }: Segment, id: number): number => {
  if (rows === 0) return -1;
  const width = i32.length / rows;
  let low = 0;
  let high = rows - 1;
  for (let row = Math.min(id - i32[ID_AT]!, high); low <= high; row = (low + high) >>> 1) {
    const found = i32[row * width + ID_AT]!;
    if (found === id) return row;
    if (row < 0 || found > id) high = row - 1;
    else low = row + 1;
  }
  return -1;
};
