import { fileURLToPath } from 'node:url';
import type { Rig } from '../create-rig.ts';
import type { Finding, Scale } from '../finding.ts';
import { installNode, NODE_VERSIONS } from '../../scripts/node-versions.mjs';
import { contest, contestTable, type Entry } from './contest.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SEMI_SPACES_MB = [16, 32, 64];

/** The versions of Node that the service supports, side by side. */
export const nodeVersions = async (rig: Rig, scale: Scale): Promise<Finding> => {
  const entries: Entry[] = [];
  for (const version of NODE_VERSIONS) entries.push({ name: `Node ${version}`, program: await installNode(ROOT, version, rig.say) });
  return { title: 'Versions of Node', text: contestTable(await contest(rig, entries, scale)), goals: [] };
};

/** Sizes of the young generation, side by side: a larger one is collected less often, and takes memory. */
export const semiSpaces = async (rig: Rig, scale: Scale): Promise<Finding> => {
  const entries = SEMI_SPACES_MB.map((size): Entry => ({ name: `${size} MB`, nodeFlags: [`--max-semi-space-size=${size}`] }));
  return { title: 'Size of the young generation', text: contestTable(await contest(rig, entries, scale)), goals: [] };
};
