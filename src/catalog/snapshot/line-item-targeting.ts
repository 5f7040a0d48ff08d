import { compileTargeting, createPairNumbers, type PairNumbers } from '../../targeting/compile-targeting.ts';
import type { TargetingRules } from '../../targeting/targeting-rules.ts';
import { LINE_ITEMS } from '../columns/entity-types.ts';
import type { View } from '../columns/kinds.ts';
import type { Segment } from '../columns/segment.ts';
import { rulesOf, type LineItem } from '../model/entities.ts';

/**
 * The targeting of line items as numbers. A reload that moves the ranks of 200,000 candidates spends
 * 0.25 s on their targeting; reading the JSON again took 0.85 s.
 */
export interface LineItemTargeting {
  readonly pairs: PairNumbers;
  /** As of `compileTargeting`. */
  of(lineItem: LineItem & View): Int32Array;
}

/** The numbers of all rows of a block; those of a row begin at its start and end at the next. */
interface CompiledBlock {
  readonly starts: Int32Array;
  readonly numbers: Int32Array;
}

/** A row is compiled again when its block has changed. */
export const createLineItemTargeting = (): LineItemTargeting => {
  const pairs = createPairNumbers();
  const blocks = new WeakMap<Segment, CompiledBlock>();
  return {
    pairs,
    of: ({ segment, row }) => {
      let block = blocks.get(segment);
      if (block === undefined) blocks.set(segment, (block = compileBlock(segment, pairs)));
      return block.numbers.subarray(block.starts[row], block.starts[row + 1]);
    },
  };
};

/** What the index decides: targeting and hours. */
export const indexedRules = (lineItem: Pick<LineItem, 'targeting' | 'sales'>): TargetingRules => {
  const { schedule } = lineItem.sales;
  return schedule === null ? rulesOf(lineItem) : [...rulesOf(lineItem), schedule.rule];
};

const compileBlock = (segment: Segment, pairs: PairNumbers): CompiledBlock => {
  const starts = new Int32Array(segment.rows + 1);
  const numbers: number[] = [];
  for (let row = 0; row < segment.rows; row++) {
    for (const number of compileTargeting(indexedRules(LINE_ITEMS.view(segment, row)), pairs)) numbers.push(number);
    starts[row + 1] = numbers.length;
  }
  return { starts, numbers: Int32Array.from(numbers) };
};
