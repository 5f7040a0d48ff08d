import type { Violation } from './model.ts';
import type { Stage } from './stage.ts';
import type { Step } from './story.ts';

/** Within this time what an idle replica holds is returned, once it is refused elsewhere. */
const MAX_SHUT_MS = 2_000;
const REPORT_MS = 1_000;
/** Requests after which a replica has a spare, and has not yet been refused. */
const FEW = 3;

/**
 * Requests move from one replica to another, which is refused when all that is left is held. Whether the first has returned
 * its lots and spares of what was refused; unless Redis is away, or line items are judged by copies of different age.
 */
export const playIdle = async (
  stage: Stage,
  { id, replica, busy, call, requests }: Step & { readonly do: 'idle' },
  select: (step: Step & { readonly do: 'select' }) => Promise<readonly Violation[]>,
): Promise<readonly Violation[]> => {
  const ask = (of: number, times: number) => {
    const calls = Array.from({ length: times }, () => call);
    return select({ id, do: 'select', replica: of, calls, inTurn: true, fault: 'none' });
  };
  const found = [...(await ask(replica, FEW))];
  await stage.setClocks(stage.trueMs + REPORT_MS);
  stage.system.replica(busy).lacking();
  found.push(...(await ask(busy, requests)));
  const lacking = stage.system.replica(busy).lacking();
  for (let passed = 0; passed < MAX_SHUT_MS; passed += REPORT_MS) {
    await stage.setClocks(stage.trueMs + REPORT_MS);
    for (const n of stage.redisDown.keys()) await stage.system.replica(n).reportLots(false);
  }
  if (stage.redisDown.some(Boolean)) return found;
  const idle = stage.system.replica(replica);
  for (const { publisherId, candidate, returned } of idle.pending) {
    const { lineItem } = candidate;
    if (publisherId === call.publisher && returned > 0 && lacking.has(lineItem.id))
      found.push({
        rule: 'idle',
        text: `replica ${replica} holds ${returned} ads of line item ${lineItem.id}, refused at replica ${busy}`,
      });
  }
  return found;
};
