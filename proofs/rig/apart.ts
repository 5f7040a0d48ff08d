/* The process of one proof: run-apart.ts begins it. */
import { PROOFS } from '../proofs.ts';
import { createScale, findingOf } from './proof.ts';
import type { ApartMessage, ApartTask } from './run-apart.ts';

const send = (message: ApartMessage): Promise<void> => new Promise((sent) => process.send?.(message, undefined, undefined, () => sent()));

const run = async ({ name, seed, scale }: ApartTask): Promise<void> => {
  const proof = PROOFS.find((one) => one.name === name)!;
  const rig = {
    seed,
    say: (line: string) => void send({ line }),
    fleet: () => Promise.reject(new Error(`The process of ${name} has no fleets.`)),
    close: () => Promise.resolve(),
  };
  await send({ finding: await findingOf(proof, rig, createScale(scale)) });
  process.exit(0);
};

process.once('message', (task: ApartTask) => void run(task));
process.once('disconnect', () => process.exit(1));
