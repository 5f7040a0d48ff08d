/** The entities of one table by id. The part of a ReadonlyMap that needs no entity to exist. */
export interface Entities<E> {
  readonly size: number;
  get(id: number): E | undefined;
  keys(): Iterable<number>;
  values(): Iterable<E>;
}

/** A table of entities that belong to another entity. */
export interface ChildEntities<E> extends Entities<E> {
  /**
   * By id. Reads one integer of each row of the blocks in which such a parent may be, all of them at worst:
   * 0.5 ms for 200,000 rows.
   */
  childrenOf(parentId: number): readonly E[];
}
