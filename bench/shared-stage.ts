import type { Rig, Stage } from './create-rig.ts';
import { callsFile } from './load.ts';
import { adCalls } from './traffic.ts';

/** The stage that most measures share: 1,000 line items of one publisher, and one impression a request. */
export const thousandStage = async (rig: Rig): Promise<{ readonly stage: Stage; readonly file: string }> => {
  const stage = await rig.stage('thousand', { lineItems: 1_000, publishers: 1, targeting: 'realistic' });
  return { stage, file: callsFile(rig, 'thousand', adCalls({ publishers: stage.publishers, calls: 16_384, seed: 11 })) };
};
