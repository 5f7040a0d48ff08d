import type { Creative } from '../model/entities.ts';
import type { Turn } from './snapshot.ts';

/** The creatives of line items whose rotation is a sequence. */
export class Sequences {
  private readonly byLineItem = new Map<number, Map<number, number>>();

  get isEmpty(): boolean {
    return this.byLineItem.size === 0;
  }

  /** Adds a creative that may serve. */
  add({ id, lineItemId, step }: Pick<Creative, 'id' | 'lineItemId' | 'step'>): void {
    let steps = this.byLineItem.get(lineItemId);
    if (!steps) this.byLineItem.set(lineItemId, (steps = new Map<number, number>()));
    // Those without a step come after the others, each by itself.
    steps.set(id, step ?? AFTER_STEPS + id);
  }

  /** When all have been added. undefined: the line item has no sequence. */
  turnOf(lineItemId: number, creativeId: number): Turn | undefined {
    const steps = this.byLineItem.get(lineItemId);
    const own = steps?.get(creativeId);
    if (!steps || own === undefined) return undefined;
    const order = [...new Set(steps.values())].sort((a, b) => a - b);
    return { step: order.indexOf(own), steps: order.length };
  }
}

/** Above every step. */
const AFTER_STEPS = 1_000;
