import { createChance } from '../testkit/chance.ts';
import {
  MAX_ANSWER_BYTES,
  MAX_BIDDER_ANSWER_BYTES,
  MAX_HOLD_MS,
  MAX_LOOP_MS,
  MAX_RETAINED_BYTES,
  wordsOf,
  type Objective,
} from './cost/budget.ts';
import { describeGene, ROLES, type Gene, type Role } from './cost/gene.ts';
import { openTarget } from './cost/open-target.ts';
import { createSearch } from './cost/search.ts';
import { seedGenes } from './cost/seeds.ts';
import type { Proof } from './rig/proof.ts';

const SEEDS = 4;

/** Endpoints with their variants by role. */
const inputsOf = (genes: readonly Gene[]): string =>
  ROLES.map((role) => {
    const names = genes.filter((gene) => gene.role === role).map(({ endpoint }) => endpoint);
    return `${names.length} of ${role} (${names.join('; ')})`;
  }).join(', ');

/**
 * Searches for requests, and answers of bidders, that cost the service more than they are worth, over
 * every endpoint, header, encoding and role. `--against DIST` searches another build.
 */
export const cost: Proof = {
  name: 'cost',
  isAlone: true,
  claim: 'a search for the most costly requests: time of the event loop, bytes answered, memory retained',
  expected:
    `of a stranger ≤ ${MAX_LOOP_MS} ms of the loop and ≤ ${MAX_ANSWER_BYTES / 1024} KiB answered; ` +
    `of a bidder ≤ ${MAX_BIDDER_ANSWER_BYTES / 1024} KiB passed on; of anyone ≤ ${MAX_RETAINED_BYTES} bytes retained, no other request delayed by > ${MAX_HOLD_MS} ms`,
  run: async (rig, scale) => {
    const most = new Map<string, { readonly objective: Objective; readonly amount: number; readonly text: string }>();
    const found: string[] = [];
    let [tries, missed, inputs] = [0, 0, ''];
    const last = rig.seed + (scale.seeds ?? scale.of(SEEDS, 1));
    for (let seed = rig.seed; seed < last; seed++) {
      const target = await openTarget(scale.against, scale.of(5_000, 2_000));
      try {
        const genes = seedGenes(target);
        const search = createSearch(target, createChance(seed), scale.ms);
        inputs = inputsOf(genes);
        const of = (...roles: readonly Role[]) => genes.filter(({ role }) => roles.includes(role));
        await search.climb(of('stranger'), scale.of(90_000, 4_000));
        await search.climb(of('bidder'), scale.of(60_000, 3_000));
        await search.replay(of('stranger', 'bidder'), scale.of(45_000, 2_000));
        await search.climb(of('staff', 'operator'), scale.of(45_000, 3_000));
        tries += search.tries();
        missed += search.missed();
        for (const { gene, objective, amount, sentBytes, tries: at } of search.faults) {
          const text = `seed ${seed}, try ${at}: ${wordsOf(objective, amount)} for ${sentBytes} bytes (${gene.endpoint})`;
          found.push(text);
          rig.say(`  ${text}: ${describeGene(gene)}`);
        }
        for (const [name, { gene, amount }] of search.records) {
          const objective = name.split(' ', 1)[0] as Objective;
          if (amount > (most.get(name)?.amount ?? 0)) most.set(name, { objective, amount, text: describeGene(gene) });
        }
        if (target.crashes() > 0) found.push(`seed ${seed}: the replica ended`);
      } finally {
        await target.close();
      }
    }
    for (const [name, { objective, amount, text }] of most) rig.say(`  most of ${name}: ${wordsOf(objective, amount)}: ${text}`);
    rig.say(`  searched: ${inputs}; bidders were not called by ${missed} requests`);
    const figures = [...most].map(([name, { objective, amount }]) => `${name.split(' ')[1]} ${wordsOf(objective, amount)}`).join(', ');
    return {
      observed: `${tries} requests tried: ${found.length === 0 ? `at most ${figures}` : found.join(' · ')}`,
      ok: found.length === 0,
    };
  },
};
